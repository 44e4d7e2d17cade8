"""Rules: the report on rules one by one.

Start with rules.py (the report), then rules_text.py and html_rules.py (how it is shown).
"""
