"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

`solve` computes them all in memory, `iter_blocks` streams them. From `build` the way goes through
`sheet` (one sheet after the other, up the rows) to `supermex`, the inner loop, which
`engine.theory.supermex` defines. `certificate` proves tails.
"""
