"""Provenance: which program computed a table, when, where and with what."""

from position_oracle.schema.games import Build as BuildRecord

__all__ = ["BuildRecord"]
