"""Whole: complete reports as terminal text, Markdown or one HTML page.

Start with sections.py (the sections of any report), then text.py, markdown.py and html.py; forms.py
lists the output formats, full_report.py builds the report on a model with its data and its test.
"""
