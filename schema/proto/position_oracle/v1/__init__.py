"""Version 1 of the contract. Fields are only ever added; numbers are never used again."""
