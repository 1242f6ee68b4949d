"""A browser for the page: Debian's Chromium, driven by Playwright; skipped where it is missing."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from tests.serving import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 60
CHROMIUM = which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
SETTINGS = replace(ServerSettings(), address="127.0.0.1:0", web="127.0.0.1:0", drain_seconds=1.0)
SIZES = {"phone": (375, 812), "tablet": (768, 1024), "desk": (1280, 860)}

Opened = Callable[..., "Page"]


def some(cases: Iterable[Any], fast: Collection[Any]) -> list[Any]:
    """Return cases as parameters. All but the fast ones are slow: each opens a window."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for case in cases
        for marks in [() if case in fast else pytest.mark.slow]
    ]


def until(page: "Page", condition: str, arg: Any = None) -> None:
    """Wait until an expression, or a function of `arg`, is true on the page.

    Playwright's own way evaluates text on the page, which its security policy forbids.
    """
    end = time.monotonic() + PATIENCE
    while not page.evaluate(condition, arg):
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {condition}")
        page.wait_for_timeout(20)


@pytest.fixture(scope="session")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


@pytest.fixture(scope="session")
def site(oracle: Oracle) -> Iterator[str]:
    """The address of a server in this process."""
    with running(oracle, SETTINGS) as server:
        yield f"http://127.0.0.1:{server.web_port}"


@pytest.fixture(scope="module")
def browser(site: str) -> Iterator["Browser"]:
    """Yield a browser for one module. The server must run before Playwright's event loop."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: "Browser", site: str) -> Iterator[Opened]:
    """Opens the page at an address, in a window of its own. At the end, errors fail the test."""
    contexts, complaints = [], list[str]()

    def open_page(
        address: str,
        size: str = "desk",
        theme: Any = "light",
        base: str = "",
        errors: bool = False,
        locale: str = "en-GB",
    ) -> "Page":
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            accept_downloads=True,
            locale=locale,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        if not errors:
            page.on("console", lambda message: note(message.type, message.text))
        page.on("pageerror", lambda error: complaints.append(str(error.stack)))
        page.goto(f"{base or site}/{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    def note(kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            complaints.append(f"{kind}: {text}")

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
