"""Whole: a whole report as terminal text, Markdown or one HTML page.

Start with forms.py (the forms and who renders them), then text.py, markdown.py and html.py.
"""
