"""How tables are computed fast: arrays in, arrays out."""
