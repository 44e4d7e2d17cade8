"""Readers of files, a format a file, and what they share."""
