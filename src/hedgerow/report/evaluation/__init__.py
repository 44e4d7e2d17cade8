"""Evaluation: the report on the test of a model.

Start with build.py (the report), then evaluation_section.py (how it is shown) and curves.py (ROC, lift, calibration).
"""
