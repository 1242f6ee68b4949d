"""Win probabilities in games in which one player or both play at random.

The first source that knows a position answers: a closed form, the outcome if a perfect player
decides the game, exact recursion, a table in double precision, and last simulated games. Sources:
Devlin & Trifonova, Random Chomp and Nim (docs/random-play.md).
"""

from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.families.resources import Resources


def error_bound(resources: Resources, model: Model) -> float:
    """Bound the error of every known probability of a batch.

    The bound is that of the tables; rounded closed forms and exact values have smaller errors.
    """
    from position_oracle.engine.solvers.random_play.three_row import random_error_bound
    from position_oracle.oracle.families.chance.chomp import relative_bound
    from position_oracle.oracle.families.chance.tables import ChanceTables

    longest = ChanceTables(resources).limit(model)
    if model.perfect is Perfect.NOBODY:
        return random_error_bound(longest)
    return relative_bound(longest, model.epsilon) + 2.0**-53
