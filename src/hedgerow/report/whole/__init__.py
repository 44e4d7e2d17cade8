"""Whole: a whole report as terminal text, Markdown or one HTML page.

Start with sections.py (the sections of any report), then text.py, markdown.py and html.py; forms.py says which forms
there are, full_report.py makes the report on a model with its data and its test.
"""
