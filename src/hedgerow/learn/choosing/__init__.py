"""Choosing: learners that choose among learners, the simplest first.

Start with simplest.py (the candidates) and selection.py (the rule of one standard error), then halving.py (rounds of
more and more rows), rounds.py (cross-validation of the candidates in one round), losses.py (the criteria) and work.py
(the estimated work, from which the budget is shared out).
"""
