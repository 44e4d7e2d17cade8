"""Explanations: the report on the reasons for predictions.

Start with explanation.py (the report), then decision_article.py (how a decision is shown).
"""
