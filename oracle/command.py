"""The command `oracle`, which says what to install where only the client is there."""

import sys

from position_oracle.schema.errors import MissingExtraError
from position_oracle.schema.extras import from_extra


def main() -> None:
    """Run the command line; end with one line and code 1 where a library of it is missing."""
    try:
        with from_extra("engine"):
            from position_oracle.oracle.cli.main import main as run
    except MissingExtraError as error:
        sys.stderr.write(f"oracle: {error}\n")
        sys.exit(1)
    run()
