"""Support vector machines: the two-class problems and their solvers."""
