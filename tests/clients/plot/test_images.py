"""Every kind of picture is compared with its reference, in colour.

See `tests.clients.plot.pictures`.
"""

from pathlib import Path

import pytest
from matplotlib.testing.compare import compare_images

from position_oracle import plot
from tests.clients.plot.pictures import DPI, PICTURES, Source, source

REFERENCES = Path(__file__).parents[2] / "golden" / "images"
TOLERANCE = 6.0
"""Largest root mean square of the difference, of 255: letters may differ a little in place."""


@pytest.fixture(scope="module")
def made() -> Source:
    return source()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_like_its_reference(name: str, made: Source, tmp_path: Path) -> None:
    drawn = plot.save(PICTURES[name](made), tmp_path / f"{name}.png", DPI)
    assert compare_images(str(REFERENCES / f"{name}.png"), str(drawn), TOLERANCE) is None


def test_another_picture_is_not_taken_for_it(made: Source, tmp_path: Path) -> None:
    other = plot.save(plot.sheet(made.oracle, "chomp3", 100), tmp_path / "other.png", DPI)
    reference = str(REFERENCES / "origins.png")
    with pytest.raises(Exception, match="sizes do not match"):
        compare_images(reference, str(other), TOLERANCE)
    mirrored = plot.sheet(made.oracle, "chomp3", 100, by="origin", lines=True)
    mirrored.axes[0].invert_xaxis()
    drawn = plot.save(mirrored, tmp_path / "mirrored.png", DPI)
    assert compare_images(reference, str(drawn), TOLERANCE) is not None


def test_references_are_those_that_are_drawn() -> None:
    assert {file.stem for file in REFERENCES.iterdir()} == set(PICTURES)
    assert sum(file.stat().st_size for file in REFERENCES.iterdir()) < 500_000
