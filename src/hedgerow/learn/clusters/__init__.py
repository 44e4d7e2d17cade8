"""Learners that find groups of rows."""
