"""Explanations: the report on why rows are decided as they are.

Start with explanation.py (the report), then explanations_text.py and html_explanations.py (how it is shown).
"""
