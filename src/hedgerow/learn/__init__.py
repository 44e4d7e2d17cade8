"""How models are learned: a folder a family, a file an algorithm."""
