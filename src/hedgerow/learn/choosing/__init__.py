"""Choosing among learners, the simplest first."""
