"""Run the command line: `python -m position_oracle`."""

from position_oracle.oracle.command import main

main()
