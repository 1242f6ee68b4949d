"""`python -m oracle`."""

from oracle.command import main

main()
