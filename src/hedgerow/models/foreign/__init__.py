"""Foreign models: those of other libraries, such as scikit-learn's, as members of hedgerow's models.

Start with foreign_models.py, then encoding.py (tables as the arrays that they take).
"""
