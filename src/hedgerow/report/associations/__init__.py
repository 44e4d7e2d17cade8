"""Associations: the report on item sets and rules.

Start with associations.py (the report), then associations_section.py (its sections).
"""
