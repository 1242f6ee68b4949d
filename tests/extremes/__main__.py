"""Ask questions at the ends of their ranges, and print those that take more than their cost.

python -m tests.extremes --count 20000
"""

import argparse
from collections import Counter

from tests.extremes.measure import faults_of, text_of, tidy, warm_up
from tests.extremes.questions import questions


def main() -> int:
    """Print the questions above the targets. Return 1 if there are any, else 0."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    warm_up()
    kinds, wrong = Counter[str](), Counter[str]()
    for number, question in enumerate(questions(chosen.count, chosen.seed)):
        if number % 100 == 0:
            tidy()
        kinds[question[0]] += 1
        if faults := faults_of(question):
            wrong[question[0]] += 1
            print(f"{text_of(question)}\n    {'; '.join(faults)}", flush=True)
    print(f"{wrong.total()} of {kinds.total()} questions:", dict(wrong), "of", dict(kinds))
    return int(wrong.total() > 0)


if __name__ == "__main__":
    raise SystemExit(main())
