"""Linear models: least squares and what is built on it."""
