"""Signs of other keyboards and programs, converted to the signs of the notation."""

import re
import unicodedata
from typing import Final

MAX_READ: Final = 4096
"""Longest text that is read."""

_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("×✕✖⨯хХ", "x"),
        **dict.fromkeys("ωΩѡ𝜔", "w"),
        **dict.fromkeys("·∙⋅∗•", "*"),
        **dict.fromkeys("−–—‐‑", "-"),
        **dict.fromkeys("⊕", "+"),
        **dict.fromkeys("“”„‟«»‘’‚`´\"'", " "),
        **dict.fromkeys("⟨〈【「", "["),
        **dict.fromkeys("⟩〉】」", "]"),
        "∞": "w",
        "…": "...",
    }
)
_SUPERSCRIPTS: Final = {ord(each): str(i) for i, each in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_RAISED: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")


def clean(text: str) -> str:
    """Convert a text to plain letters and digits, single spaces, and no surrounding quotes."""
    raised = _RAISED.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    plain = unicodedata.normalize("NFKC", raised.translate(_SIGNS))[: 2 * MAX_READ]
    plain = plain.translate(_SIGNS)
    plain = "".join(" " if c.isspace() else c for c in plain if c.isprintable() or c.isspace())
    plain = re.sub(r"\\(times|omega|cdot|oplus)", _latex, plain).replace("**", "^")
    plain = re.sub(r"\bomega\b", "w", plain, flags=re.IGNORECASE)
    return re.sub(r" +", " ", plain.replace("$", " ")).strip(" .?!")


def _latex(match: "re.Match[str]") -> str:
    return {"times": "x", "omega": "w", "cdot": "*", "oplus": "+"}[match[1]]


_CGSUITE: Final = re.compile(r"game\.[a-z]+\.(?P<name>[A-Za-z]+)\((?P<body>.*)\)")
_NIMBERS: Final = re.compile(r"\*[0-9]{1,19}(?: ?\+ ?\*[0-9]{1,19})*")
_PILES: Final = re.compile(r"pile_sizes? ?=")


def in_words(text: str) -> str:
    """Convert notations of other programs (CGSuite, OpenSpiel, nimbers) to words."""
    if match := _CGSUITE.fullmatch(text):
        return f"{match['name']} {match['body']}"
    if _NIMBERS.fullmatch(text):
        return "nim " + text.replace("*", " ").replace("+", " ")
    return _PILES.sub(" ", text)
