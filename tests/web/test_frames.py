"""The page in a frame of another page is shown where the operator allows it, and nowhere else."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from position_oracle.oracle.core import Oracle
from tests.web.conftest import SETTINGS, Opened, served

Schools = dict[str, str]


class School(BaseHTTPRequestHandler):
    """A page with a frame. Its path is the address that the frame shows."""

    def do_GET(self) -> None:
        body = f'<html data-ready><iframe src="{self.path[1:]}" width="600" height="600">'
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def school() -> Iterator[str]:
    """The origin of another site with a frame."""
    with ThreadingHTTPServer(("127.0.0.1", 0), School) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def framed(oracle: Oracle, school: str) -> Iterator[str]:
    """The address of a server that this site may show in a frame."""
    with served(oracle, replace(SETTINGS, web_frames=school)) as address:
        yield address


def test_a_page_that_may_shows_a_game_without_the_header(
    framed: str, school: str, opened: Opened
) -> None:
    page = opened(f"{framed}/#play/chomp:3/3?second=easy", base=school)
    frame = page.frame_locator("iframe")
    frame.get_by_role("gridcell", name="row 2, column 3").click()
    frame.locator(".moves > li").nth(1).wait_for()
    assert not frame.locator("header").is_visible()


def test_a_page_that_may_not_shows_nothing(site: str, school: str, opened: Opened) -> None:
    page = opened(f"{site}/#play/chomp:3/3", base=school, errors=True)
    page.wait_for_timeout(500)
    assert page.frame_locator("iframe").locator("header").count() == 0
