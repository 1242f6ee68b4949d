"""The command `oracle`, which says what to install where only the client is there."""

import sys

NEEDS_MORE = (
    "oracle: this is the client alone; for the command pip install 'position-oracle[engine]'"
)


def main() -> None:
    """Run the command line; end with one line and code 1 where a library of it is missing."""
    try:
        from position_oracle.oracle.cli.main import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "position_oracle":
            raise
        sys.stderr.write(f"{NEEDS_MORE} ({error.name} is missing)\n")
        sys.exit(1)
    run()
