"""Answer the calls of mkdocs when it makes the site (`make docs`)."""

import re
from typing import Any, Final

_OUTSIDE: Final = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Keep only the text of links to files beside the docs, which lead nowhere on the site."""
    return _OUTSIDE.sub(r"\1", markdown)
