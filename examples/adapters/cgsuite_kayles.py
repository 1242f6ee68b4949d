"""Print the Grundy values of Kayles as a script for CGSuite.

python examples/adapters/cgsuite_kayles.py > kayles.cgs
"""

from position_oracle import Oracle
from position_oracle.clients.adapters.cgsuite import script, values_of


def main() -> None:
    """Print the values of heaps 0 to 12."""
    positions = [f"kayles:[{heap}]" for heap in range(13)]
    print(script(values_of(Oracle(), positions).values(), "kayles"), end="")


if __name__ == "__main__":
    main()
