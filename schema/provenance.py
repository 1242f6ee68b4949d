"""Provenance: program, version, time, machine and parameters of a computed table."""

from position_oracle.schema.games import Build as BuildRecord

__all__ = ["BuildRecord"]
