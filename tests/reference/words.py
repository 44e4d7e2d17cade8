"""Reference implementations of the tokeniser and of what is counted with it."""

import re
from collections import Counter


def words(text, min_length=2):
    """The words of a text as scikit-learn's CountVectorizer finds them; a missing text has none."""
    if text is None:
        return []
    return re.findall(rf"(?u)\b\w{{{min_length},}}\b", text.lower())


def terms(texts, min_length=2):
    """The vocabulary in order, and by row the ids of its terms, ascending, with their counts."""
    counted = [Counter(words(text, min_length)) for text in texts]
    vocabulary = sorted(set().union(*counted))
    ids = {term: number for number, term in enumerate(vocabulary)}
    return vocabulary, [sorted((ids[term], n) for term, n in row.items()) for row in counted]


def known_terms(texts, vocabulary, min_length=2):
    """By row the ids of the known terms, ascending, with their counts."""
    ids = {term: number for number, term in enumerate(vocabulary)}
    counted = [Counter(words(text, min_length)) for text in texts]
    return [sorted((ids[term], n) for term, n in row.items() if term in ids) for row in counted]
