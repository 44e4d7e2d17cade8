"""Tables: a schema and one array per column, and what every reader and learner needs of them.

Start with schema.py and table.py, then source.py (tables in batches); delimited.py calls the kernel
kernels/read/delimited.cpp.
"""
