"""`python -m oracle`."""

from oracle.cli.main import main

main()
