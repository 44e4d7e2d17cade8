"""What is learned: frozen values that predict what they print."""
