"""The steps of C4.5rules: generalise the paths of a tree, choose among them, put them in order."""
