"""Nearest neighbors: rows are kept, and the nearest ones asked."""
