"""Speed compared with other programs, in one run."""
