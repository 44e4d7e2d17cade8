"""Online learning: one pass over a stream, an update per row.

Start with online_linear.py (the learner) and update_rule.py, then online_state.py and checkpoint.py; the kernel is
kernels/linear/online_updates.cpp.
"""
