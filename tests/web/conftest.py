"""A browser for the page: Debian's Chromium, driven by Playwright; skipped where it is missing."""

import json
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import pytest

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from tests.serving import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 60
CHROMIUM = which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
    "--force-prefers-reduced-motion",
)  # fmt: skip
SETTINGS = replace(ServerSettings(), address="127.0.0.1:0", web="127.0.0.1:0", drain_seconds=1.0)
LOCALE = "en-GB"
SIZES = {"phone": (375, 812), "tablet": (768, 1024), "desk": (1280, 860)}

NODE = which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")

Opened = Callable[..., "Page"]

WAITING = """async ([arg, most]) => {
  for (const end = performance.now() + most; performance.now() < end;) {
    const found = (CONDITION);
    if (await (typeof found === "function" ? found(arg) : found)) return true;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  return false;
}"""


def by_node(script: str, asked: list[Any], address: str = "") -> list[Any]:
    """Return the values that a script of this folder writes about some values, by the page's code.

    The script asks the server of the address.
    """
    command = [str(NODE), str(Path(__file__).with_name(script)), address]
    done = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    found: list[Any] = json.loads(done.stdout)
    return found


def some(cases: Iterable[Any], fast: Collection[Any]) -> list[Any]:
    """Return cases as parameters. All but the fast ones are slow: each opens a window."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks)
        for case in cases
        for marks in [() if case in fast else pytest.mark.slow]
    ]


def resize(page: "Page", size: str) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})


def until(page: "Page", condition: str, arg: Any = None) -> None:
    """Wait until an expression, or a function of `arg`, is true on the page.

    Playwright's own way evaluates text on the page, which its security policy forbids.
    """
    holds = page.evaluate(WAITING.replace("CONDITION", condition), [arg, 1000 * PATIENCE])
    assert holds, f"not within {PATIENCE} s: {condition} at {page.url}"


@pytest.fixture(scope="session")
def oracle(store: Path) -> Oracle:
    return Oracle.open(store)


@contextmanager
def served(oracle: Oracle, settings: ServerSettings = SETTINGS) -> Iterator[str]:
    """Serve an oracle from other threads, as Playwright has an event loop in this one.

    Yields:
        The address of the page.
    """
    serving = running(oracle, settings)
    with ThreadPoolExecutor(1) as thread:
        server = thread.submit(serving.__enter__).result()
        try:
            yield f"http://127.0.0.1:{server.web_port}"
        finally:
            thread.submit(serving.__exit__, None, None, None).result()


@pytest.fixture(scope="session")
def site(oracle: Oracle) -> Iterator[str]:
    """The address of a server in this process."""
    with served(oracle) as address:
        yield address


@dataclass
class Held:
    """The browser of this process, which stays open while tests of this folder follow.

    Playwright runs an event loop in this thread. So the browser is closed before the fixtures of
    other tests end, which have event loops of their own.
    """

    browser: "Browser | None" = None
    context: "BrowserContext | None" = None
    page: "Page | None" = None
    is_used: bool = False
    is_last: bool = False
    stack: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        self.browser = self.context = self.page = None
        self.stack.close()


HELD = Held()


@pytest.fixture
def browser(site: str) -> Iterator["Browser"]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if HELD.browser is None:
        driver = HELD.stack.enter_context(playwright.sync_playwright())
        HELD.browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        HELD.stack.callback(HELD.browser.close)
    HELD.is_used = True
    yield HELD.browser
    HELD.is_used = False
    if HELD.is_last:
        HELD.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser after the last test of this folder: now, or when its windows are closed."""
    HELD.is_last = nextitem is None or nextitem.path.parent != item.path.parent
    if HELD.is_last and not HELD.is_used:
        HELD.close()


def _shared(browser: "Browser") -> "BrowserContext":
    """The context of pages that leave nothing: they load in half the time with a warm cache.

    They have no service worker, because it would answer for the server.
    """
    if HELD.context is None:
        HELD.context = browser.new_context(locale=LOCALE, accept_downloads=True)
        HELD.context.add_init_script("delete Navigator.prototype.serviceWorker")
    return HELD.context


@pytest.fixture
def opened(browser: "Browser", site: str) -> Iterator[Opened]:
    """Opens the page at an address, in a window of its own. At the end, errors fail the test.

    Pages of another server or language have a context of their own, and those that are `alone`.
    Others leave their window to the next test: a page loads there in half the time.
    """
    contexts, pages, complaints = list["BrowserContext"](), list["Page"](), list[str]()

    def open_page(
        address: str,
        size: str = "desk",
        theme: Any = "light",
        base: str = "",
        errors: bool = False,
        locale: str = LOCALE,
        alone: bool = False,
    ) -> "Page":
        if alone or base or locale != LOCALE:
            contexts.append(browser.new_context(locale=locale, accept_downloads=True))
            page = contexts[-1].new_page()
        else:
            page = HELD.page or _shared(browser).new_page()
            HELD.page = None
            pages.append(page)
        resize(page, size)
        page.emulate_media(color_scheme=theme)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", noticed)
        if not errors:
            page.on("console", said)
        page.goto(f"{base or site}/{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    def noticed(error: Any) -> None:
        complaints.append(str(error.stack))

    def said(message: Any) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(f"{message.type}: {message.text}")

    def leave(page: "Page") -> None:
        page.evaluate("[localStorage, sessionStorage].forEach((each) => each.clear())")
        if HELD.page is not None:
            page.close()
            return
        for event, listener in (("pageerror", noticed), ("console", said)):
            with suppress(KeyError):
                page.remove_listener(event, listener)
        page.unroute_all(behavior="ignoreErrors")
        page.goto("about:blank")
        HELD.page = page

    yield open_page
    for page in pages:
        leave(page)
    for context in contexts:
        context.close()
    assert complaints == []
