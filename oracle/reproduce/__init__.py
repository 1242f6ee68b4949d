"""`oracle reproduce`: every figure, table, theorem and number of the papers beside ours.

    registry.py  entries, and their verdicts from numbers
    tables.py    tables of a store for the entries, built if missing
    run.py       computes the entries, one after another
    report.py    one HTML file with the pictures inside, and JSON of the verdicts
    chapters.py  all entries; `papers` has a module for each paper, or for a part of one

An entry repeats the statement of the paper in words. It computes pairs of a printed and a computed
value. Nobody writes a verdict: `registry.verdict_of` derives it from the pairs.
"""
