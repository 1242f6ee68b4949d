"""`oracle reproduce`: every figure, table, theorem and number of the papers beside ours.

    registry.py entries, and their verdicts from numbers
    tables.py tables of a store for the entries, built if missing run.py computing entries, one
    after another report.py one HTML file with the pictures inside, and JSON of the verdicts
    chapters.py all entries; a module a paper, or a part of one, in `papers`

An entry says in words what the paper says and computes pairs of what is printed and what comes
out here. Nobody writes a verdict: `registry.verdict_of` finds it from the pairs.
"""
