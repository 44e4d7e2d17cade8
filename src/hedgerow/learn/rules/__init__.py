"""Rules: 1R, PRISM, covering and RIPPER.

Start with one_r.py, then prism.py, covering.py and ripper.py, each with a *_work.py that prints its steps; the
kernels are kernels/rules/prism.cpp, kernels/rules/beam.cpp and kernels/rules/grow.cpp.
"""
