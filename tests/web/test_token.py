"""A server that asks for a token: the page takes one, and stores it nowhere."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from position_oracle.oracle.core import Oracle
from tests.web.conftest import SETTINGS, Opened, served

SECRET = "correct-horse-battery"  # noqa: S105


@pytest.fixture(scope="session")
def guarded(oracle: Oracle, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that asks for a token."""
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text(f"alice {hashlib.sha256(SECRET.encode()).hexdigest()} 6000 600\n")
    with served(oracle, replace(SETTINGS, tokens=file)) as address:
        yield address


def test_a_token_is_asked_for_used_and_left_nowhere(
    guarded: str, opened: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    page = opened("#analyse/nim:[3,5]", base=guarded, errors=True)
    page.get_by_role("button", name="Enter a token").click()
    page.get_by_label("Your token").fill(SECRET)
    page.get_by_role("button", name="Use it").click()
    page.locator("#verdict.win").wait_for()
    kept = page.evaluate(
        "async () => JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage },"
        " document.cookie, document.documentElement.outerHTML, history.state,"
        " await Promise.all((await caches.keys()).map(async (each) =>"
        "   (await (await caches.open(each)).keys()).map(({ url }) => url)))])"
    )
    assert SECRET not in kept
    logged = str([vars(record) for record in caplog.records])
    assert "AnalyzePosition" in logged
    assert SECRET not in logged
    page.reload()
    page.get_by_role("button", name="Enter a token").wait_for()


def test_the_list_of_games_comes_with_the_token(guarded: str, opened: Opened) -> None:
    page = opened("#games/", base=guarded, errors=True)
    page.get_by_role("button", name="Enter a token").click()
    page.get_by_label("Your token").fill(SECRET)
    page.get_by_role("button", name="Use it").click()
    page.locator(".gamelist").get_by_text("Nim", exact=True).wait_for()
