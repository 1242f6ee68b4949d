"""The command `oracle`, which says what to install if only the client is installed."""

import sys

from position_oracle.schema.errors import MissingExtraError
from position_oracle.schema.extras import from_extra


def main() -> None:
    """Run the command line; if a library is missing, print one line and exit with code 1."""
    try:
        with from_extra("engine"):
            from position_oracle.oracle.cli.main import main as run
    except MissingExtraError as error:
        sys.stderr.write(f"oracle: {error}\n")
        sys.exit(1)
    run()
