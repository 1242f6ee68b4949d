"""Allowed hosts and origins, and security headers of every response."""

import ipaddress
from collections.abc import Awaitable, Callable, Collection, Mapping
from email.utils import formatdate
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
    )
)

_SECURITY: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_MAX_TARGET: Final = 16 * 1024
MAX_HEAD: Final = 32 * 1024
MAX_LINES: Final = 100
"""Maximum numbers of bytes and lines of a request before its body."""


class Guard:
    """Refuses requests from foreign hosts and origins; adds security headers to responses."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        origins: Collection[str],
        frames: Collection[str],
    ) -> None:
        """Guard an application.

        Args:
            app: the application.
            hosts: allowed host names in lower case, besides addresses and names of this machine;
                None for any.
            origins: origins whose pages may call the service.
            frames: origins whose pages may show the page in a frame.
        """
        self._app = app
        self._hosts, self._origins, self._frames = hosts, origins, frames
        self._headers = _SECURITY | _framing(frames)
        if origins:
            self._headers["cross-origin-resource-policy"] = "cross-origin"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        app = self._app
        if refusal is not None:
            app = PlainTextResponse(refusal[1] + "\n", refusal[0], {"connection": "close"})
        await app(scope, receive, _with_headers(send, self._headers))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if len(scope["raw_path"]) + len(scope["query_string"]) > _MAX_TARGET:
            return 414, f"the address is longer than {_MAX_TARGET} characters"
        if scope["http_version"] not in {"1.0", "1.1"}:
            return 505, "HTTP/1.1 is spoken here"
        host = headers.get("host", "")
        if self._hosts is not None and not _is_known(host, self._hosts):
            return (
                421,
                f"Host is {host[:80]!r}, which is not a name of this server; see --web-hosts",
            )
        if self._is_foreign(headers, host):
            return 403, "pages of other origins may not ask here; see --web-origins"
        return None

    def _is_foreign(self, headers: Headers, host: str) -> bool:
        """Return whether the request comes from a page of an origin that is not allowed.

        Links to this service are allowed, and so are frames if the settings allow any: browsers
        then compare the origin with the policy.
        """
        origin = headers.get("origin")
        if origin is not None:
            # The scheme is not compared: a proxy may have ended TLS.
            is_own = origin.removeprefix("https://").removeprefix("http://") == host != origin
            return not is_own and origin not in self._origins
        site = headers.get("sec-fetch-site", "none")
        links = {"document", "iframe"} if self._frames else {"document"}
        is_link = headers.get("sec-fetch-dest") in links
        return site not in {"none", "same-origin"} and not is_link


def _is_known(host: str, hosts: Collection[str]) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    name = name.lower().removesuffix(".")
    if name == "localhost" or name in hosts:
        return True
    try:
        return ipaddress.ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def _framing(frames: Collection[str]) -> dict[str, str]:
    """Return the headers that say which pages may show this one in a frame."""
    ancestors = " ".join(frames) or "'none'"
    policy = {"content-security-policy": f"{_POLICY}; frame-ancestors {ancestors}"}
    return policy if frames else {**policy, "x-frame-options": "DENY"}


def _with_headers(send: Send, security: Mapping[str, str]) -> Callable[[Message], Awaitable[None]]:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in security.items():
                headers.setdefault(name, value)
            headers["date"] = formatdate(usegmt=True)
        await send(message)

    return sending
