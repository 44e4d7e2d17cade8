"""Speed beside the peers, in one run."""
