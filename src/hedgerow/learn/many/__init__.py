"""Many classes: classifiers made of binary learners.

Start with one_vs_rest.py, then pairwise.py and output_codes.py; base.py is what they share.
"""
