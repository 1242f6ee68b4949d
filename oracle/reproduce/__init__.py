"""`oracle reproduce`: every figure, table, theorem and number of the papers beside ours.

    registry.py    what an entry is, and how its verdict follows from numbers
    tables.py      what entries compute from: tables of a store, built where they are missing
    run.py         computing entries, one after another
    report.py      one HTML file with the pictures inside, and JSON of the verdicts
    chapters.py    all entries; a module a paper, or a part of one, in `papers`

An entry says in words what the paper says and computes pairs of what is printed and what comes
out here. Nobody writes a verdict: `registry.verdict_of` finds it from the pairs.
"""
