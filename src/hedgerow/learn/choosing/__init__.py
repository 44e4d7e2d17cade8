"""Choosing: learners that choose among learners, the simplest first.

Start with simplest.py, then contest.py (cross-validated comparison) and judge.py.
"""
