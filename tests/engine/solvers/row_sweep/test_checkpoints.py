"""Checkpoints: they are read back, damage is noticed, and a census continues from them."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.budget import Budget
from position_oracle.engine.solvers.row_sweep.checkpoint import (
    decode_chunk,
    encode,
    parse,
)
from position_oracle.engine.solvers.row_sweep.driver import Checkpoint, Resumption, census
from position_oracle.engine.solvers.row_sweep.journal import read_journal, write_journal
from position_oracle.engine.solvers.row_sweep.ledger import Ledger, allocate_ledger
from position_oracle.engine.solvers.row_sweep.sheet_index import index_sheets
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.schema.errors import CorruptTableError, StoppedError
from tests.engine.solvers.row_sweep.support import LIMIT, SPACING, Swept, Table, assert_equal


def ledger_of(swept: Swept) -> Ledger:
    return index_sheets(swept.census).ledger


def test_checkpoints_have_the_given_spacing(swept: Swept) -> None:
    rows = [checkpoint.row for checkpoint in swept.checkpoints]
    assert rows == [SPACING * i for i in range(1, len(rows) + 1)]
    assert 1.40 * LIMIT < rows[-1] + SPACING < 1.43 * LIMIT + SPACING


def test_a_checkpoint_read_is_the_one_written(swept: Swept) -> None:
    ledger = ledger_of(swept)
    for made in swept.checkpoints:
        layout = parse(made.data)
        assert (layout.row, layout.first, layout.states) == (made.row, made.first, made.states)
        parts = [decode_chunk(layout, h, ledger) for h in range(len(layout.index))]
        column = np.concatenate([part[0] for part in parts])
        states = np.concatenate([part[1] for part in parts])
        again = encode(made.row, made.first, column, states, ledger)
        assert again == made.data


def test_the_states_are_those_of_the_columns(swept: Swept, table: Table) -> None:
    """low, high and both windows of a column agree with the values that the column has taken."""
    made = swept.checkpoints[len(swept.checkpoints) // 2]
    ledger = ledger_of(swept)
    column, states = decode_chunk(parse(made.data), 0, ledger)
    for place in range(0, len(column), 37):
        c, state = int(column[place]), states[place]
        barred = set(table.value[c, c : made.row].tolist()) | set(ledger.diagonal[:c].tolist())
        low, high = int(state["low"]), int(state["high"])
        assert barred.issuperset(range(low, high))
        for base, word in ((low - 64, int(state["below"])), (high, int(state["above"]))):
            expected = sum(1 << i for i in range(64) if base + i in barred)
            assert word == expected


def test_a_flipped_bit_is_noticed(swept: Swept) -> None:
    data = swept.checkpoints[3].data
    for place in (0, 4, 8, 20, 60, len(data) // 2, len(data) - 1):
        damaged = bytearray(data)
        damaged[place] ^= 4
        with pytest.raises(CorruptTableError):
            parse(bytes(damaged))
    with pytest.raises(CorruptTableError):
        parse(data[:-1])


@given(
    st.lists(
        st.tuples(
            st.integers(0, 60), st.integers(0, 60), st.integers(0, 2**62), st.integers(0, 2**62)
        ),
        min_size=1,
        max_size=40,
    )
)
def test_any_normal_states_survive(steps: list[tuple[int, int, int, int]]) -> None:
    count = len(steps)
    states = np.zeros(count, COLUMN)
    low, high = 500, 900
    for j, (down, up, below, above) in enumerate(steps):
        low, high = low + down, high + up
        states[j] = (low, high, below, above << 1)
    ledger = allocate_ledger(5_000)
    ledger.dd[:] = 2**64 - 1
    column = np.arange(7, 7 + count, dtype=np.int32)
    data = encode(640, 7, column, states, ledger)
    read_column, read_states = decode_chunk(parse(data), 0, ledger)
    np.testing.assert_array_equal(read_column, column)
    np.testing.assert_array_equal(read_states, states)


def test_a_journal_read_is_the_one_written(swept: Swept) -> None:
    for made in swept.checkpoints:
        assert write_journal(read_journal(made.journal)) == made.journal
    damaged = bytearray(swept.checkpoints[0].journal)
    damaged[-1] ^= 1
    with pytest.raises(CorruptTableError, match="damaged"):
        read_journal(bytes(damaged))


def test_a_journal_says_nothing_of_later_rows(swept: Swept) -> None:
    """Though the sweep may be further on when it is written."""
    for made in swept.checkpoints:
        journal = read_journal(made.journal)
        assert (journal.end <= made.row).all()
        assert len(journal.diagonal) == max(0, min(made.row, LIMIT + 1) - journal.begun)


def test_journals_are_compressed(swept: Swept) -> None:
    journals = [read_journal(made.journal) for made in swept.checkpoints]
    plain = sum(np.asarray(part).nbytes for each in journals for part in astuple(each))
    assert sum(len(made.journal) for made in swept.checkpoints) < plain / 2


@pytest.mark.parametrize("kept", range(1, 14))
def test_a_census_goes_on_from_any_checkpoint(swept: Swept, kept: int) -> None:
    """A census that continues from a checkpoint is the same, and so are its later checkpoints."""
    assert len(swept.checkpoints) == 13
    part = swept.checkpoints[:kept]
    again: list[Checkpoint] = []
    resume = Resumption([made.journal for made in part], lambda k: part[k].data)
    found = census(LIMIT, threads=2, spacing=SPACING, sink=again.append, resume=resume)
    assert_equal(found, swept.census)
    assert again[-1].row == swept.checkpoints[-1].row
    assert again[0].row <= SPACING * (kept + 1)
    for made in again:
        assert made.data == swept.checkpoints[made.row // SPACING - 1].data


def test_an_interrupted_census_goes_on(swept: Swept) -> None:
    budget = Budget()
    made: list[Checkpoint] = []

    def keep(checkpoint: Checkpoint) -> None:
        made.append(checkpoint)
        if len(made) == 5:
            budget.cancel()

    with pytest.raises(StoppedError), budget.active():
        census(LIMIT, spacing=SPACING, sink=keep)
    resume = Resumption([one.journal for one in made], lambda k: made[k].data)
    assert_equal(census(LIMIT, spacing=SPACING, resume=resume), swept.census)


def test_a_census_goes_on_only_from_its_own_checkpoints(swept: Swept) -> None:
    resume = Resumption([made.journal for made in swept.checkpoints], swept.data)
    with pytest.raises(ValueError, match="another census"):
        census(LIMIT - 1, spacing=SPACING, resume=resume)
    with pytest.raises(ValueError, match="another census"):
        census(LIMIT, spacing=2 * SPACING, resume=resume)


def test_damaged_checkpoints_are_not_resumed_from(swept: Swept) -> None:
    damaged = bytearray(swept.checkpoints[4].data)
    damaged[-5] ^= 16
    resume = Resumption([made.journal for made in swept.checkpoints[:5]], lambda _: bytes(damaged))
    with pytest.raises(CorruptTableError, match="damaged"):
        census(LIMIT, spacing=SPACING, resume=resume)
