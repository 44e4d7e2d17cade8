"""Tables: a schema and one array per column, and the functions that all readers and learners use.

Start with schema.py and table.py, then source.py (tables in batches); delimited.py calls the kernel
kernels/read/delimited.cpp.
"""
