"""Associations: the report on item sets and rules.

Start with associations.py (the report), then associations_text.py and html_associations.py (how it is shown).
"""
