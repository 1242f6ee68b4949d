"""What mkdocs asks for when it makes the site (`make docs`)."""

import re
from typing import Any, Final

_OUTSIDE: Final = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to files beside the docs lead nowhere on the site: keep their text."""
    return _OUTSIDE.sub(r"\1", markdown)
