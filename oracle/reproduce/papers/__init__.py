"""The entries of each paper."""
