"""Evaluation: splits of the rows, Results that keep every prediction once, and measures of them."""
