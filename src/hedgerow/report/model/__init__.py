"""Model: the section on a model: how it came about, what is drawn of it, and its print.

Start with model_section.py, then shown_parts.py (what the report holds for pictures).
"""
