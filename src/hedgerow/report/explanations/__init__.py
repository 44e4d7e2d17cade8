"""Explanations: the report on why rows are decided as they are.

Start with explanation.py (the report), then decision_article.py (how a decision is shown).
"""
