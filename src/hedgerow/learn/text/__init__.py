"""Texts: how they become terms."""
