"""Three-row Chomp swept by rows: the census of all sheets, and checkpoints for answers.

``census`` finds period, tail, prefix length, diagonal and largest z of every sheet x <= limit, in
memory proportional to the limit. docs/row-sweep.md describes the method.
"""
