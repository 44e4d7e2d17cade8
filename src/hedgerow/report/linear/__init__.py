"""Linear: coefficients and telling terms as reports.

Start with coefficients.py, then telling_terms.py (texts).
"""
