"""Learners of bags, each of which holds several instances."""
