"""Linear: coefficients and informative terms as parts of reports.

Start with coefficients.py and coefficient_charts.py, then telling_terms.py and terms_block.py (texts).
"""
