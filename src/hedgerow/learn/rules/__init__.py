"""Rules: 1R, later PRISM, covering and RIPPER."""
