"""Rules: the report on rules one by one.

Start with rules.py (the report), then rules_section.py (how it is shown).
"""
