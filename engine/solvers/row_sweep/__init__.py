"""Three-row Chomp swept by rows: the census of all sheets, and checkpoints to answer from.

``census`` finds period, tail, prefix length, diagonal and largest z of every sheet x <= limit, in
memory proportional to the limit. The method is described in docs/row-sweep.md.
"""
