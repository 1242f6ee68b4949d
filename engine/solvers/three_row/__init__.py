"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

`solve` computes them all in memory, `iter_blocks` streams them. From `build` the way goes through
`groups` (some sheets together) and `sheet` (one sheet through a tile of rows) to `supermex`, the
inner loop; `engine.theory.supermex` has its definition. `certificate` proves tails.
"""
