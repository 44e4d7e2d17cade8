"""Model: the section on a model: how it was trained, pictures, and its printed form.

Start with model_section.py, then shown_parts.py (what the report holds for pictures).
"""
