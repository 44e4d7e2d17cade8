"""Rules: the report on the rules of a model.

Start with rules.py (the report), then rules_section.py (how it is shown).
"""
