"""Trees from a stream, in bounded memory: passes that survey the data, grow level by level, and prune.

Start with survey.py: the first pass looks at the values. If all rows fit into memory, they are learned as a table.
Otherwise each further pass sends the rows down the trees so far (grow.py). Open nodes of few rows collect them and
are finished at once by the kernel of tables; the others are counted by column, bin and class, and split by the same
search. Where each different value of a column has its bin, the tree is that of a table. prune.py is what follows.
"""
