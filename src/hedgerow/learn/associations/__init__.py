"""Associations: what occurs together, and rules of it."""
