"""The words of a text: the name of a game, its options, misere play, passes, and the rest.

Signs of other keyboards, and notations of other programs, are converted first.
"""

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from position_oracle.engine.games.registry import names
from position_oracle.engine.games.spec import MAX_TEXT


@dataclass(frozen=True, slots=True)
class TextWords:
    """The parts of a text.

    Attributes:
        name: the name of the game; empty if there is none.
        options: the text in braces.
        body: the rest of the text.
        misere: whether the last move loses.
        passes: the number of passes left, if the text has one.
        note: a remark about the position; usually empty.
    """

    name: str = ""
    options: str = ""
    body: str = ""
    misere: bool = False
    passes: str = ""
    note: str = ""

    def __str__(self) -> str:
        """Return the position that the parts make, with its passes if there are any."""
        options = ",".join(filter(None, (self.options, "misere" if self.misere else "")))
        head = f"{self.name}{{{options}}}" if options else self.name
        if not self.passes.strip("0"):
            return f"{head}:{self.body}"
        inside = self.body.removesuffix("]")
        return f"{head}:{inside};{self.passes}{self.body[len(inside) :]}"


_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("×✕✖⨯хХ", "x"),
        **dict.fromkeys("ωΩѡ𝜔∞", "w"),
        **dict.fromkeys("·∙⋅∗•", "*"),
        **dict.fromkeys("−–—‐‑", "-"),
        **dict.fromkeys("⊕", "+"),
        **dict.fromkeys("“”„‟«»‘’‚`´\"'$", " "),
        **dict.fromkeys("⟨〈【「", "["),
        **dict.fromkeys("⟩〉】」", "]"),
    }
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LATEX: Final = {"times": "x", "omega": "w", "cdot": "*", "oplus": "+"}

_SYNONYMS: Final = {
    "chomp3": ("threerowchomp", "3rowchomp", "chompthree", "threerowedchomp", "zeilberger"),
    "chomp": ("chocolate", "chompboard", "chompgame", "youngdiagram"),
    "nim": ("nimm", "marienbad", "pilesofnim", "nimgame", "normalnim", "heaps", "nimheap"),
    "wythoff": ("wythoffs", "wythoffsgame", "wythoffnim", "wythoffgame", "wyt", "wythof"),
    "divisors": ("divisor", "schuh", "schuhs", "schuhsgame", "gameofdivisors", "divisorgame"),
    "transfinite": ("transfinitechomp", "ordinalchomp", "ordinal", "ordinals", "infinitechomp"),
    "octal": ("octalgame", "takeandbreak"),
    "toads": ("toadsandfrogs", "frogs", "toadsfrogs", "toad", "frogsandtoads"),
    "kayles": ("kayle", "kayleses"),
    "dawson": ("dawsonskayles", "dawsonkayles", "dawsons"),
    "dawsonchess": ("dawsonschess",),
    "grundy": ("grundysgame", "grundygame"),
    "lasker": ("laskersnim", "laskernim"),
    "subtraction": ("subtractiongame", "boundednim", "takeaway", "bachet", "bachetsgame"),
}
_NAMES: Final = {
    **{name: name for name in names()},
    **{word: name for name, words in _SYNONYMS.items() for word in words},
}
_WORD: Final = re.compile(r"(?P<words>[A-Za-z][A-Za-z0-9' _-]{0,60})")
_MISERE: Final = re.compile(
    r"[,;]? ?\b(?:is_)?mis[eè]re(?: play| nim)?(?:\(\))?(?: ?[=:] ?(?:true|1))?\b,?", re.IGNORECASE
)
_NORMAL: Final = re.compile(r"[,;]? ?\bis_misere ?= ?(?:false|0)\b", re.IGNORECASE)
_PASSES: Final = re.compile(
    r"[,;]? ?\b(?:with )?(?:(?:(?<![0-9] )pass(?:es)?|pass(?:es)? ?[=:]) ?(?P<after>[0-9]{1,2})"
    r"|(?P<before>[0-9]{1,2}) pass(?:es)?(?! ?[=:]? ?[0-9]))\b",
    re.IGNORECASE,
)
_PASSES_FIRST: Final = re.compile(
    r"\A(?P<head>(?:[^0-9\s:][^\s:]*[ :]+)*)(?P<count>[0-9]{1,2}) pass(?:es)? "
    r"(?=[0-9]+[^0-9]+[0-9])",
    re.IGNORECASE,
)
_BRACES: Final = re.compile(r" ?[{(](?P<inside>[^{}()]{0,200})[})] ?:?", re.IGNORECASE)
_NIMBERS: Final = re.compile(r"\*[0-9]{1,19}(?: ?\+ ?\*[0-9]{1,19})*")
_CGSUITE: Final = re.compile(r"\bgame\.[a-z]+\.([A-Za-z]+)\((.*)\)")
_OPEN_SPIEL: Final = re.compile(r"pile_sizes? ?=")


def clean(text: str) -> str:
    """Convert a text to plain letters and digits, single spaces, and no surrounding quotes."""
    raised = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    plain = unicodedata.normalize("NFKC", raised.translate(_SIGNS))[: 2 * MAX_TEXT]
    plain = plain.translate(_SIGNS)
    plain = "".join(" " if c.isspace() else c for c in plain if c.isprintable() or c.isspace())
    plain = re.sub(r"\\(times|omega|cdot|oplus)", lambda match: _LATEX[match[1]], plain)
    plain = re.sub(r"\bomega\b", "w", plain.replace("**", "^"), flags=re.IGNORECASE)
    return re.sub(r" +", " ", plain).strip(" .?!")


def sort_words(text: str) -> TextWords:
    """Sort a clean text into its words; take out options, misere play and passes."""
    if _NIMBERS.fullmatch(text):
        text = "nim " + text.translate(str.maketrans("*+", "  "))
    rest = _NORMAL.sub(" ", _OPEN_SPIEL.sub(" ", _CGSUITE.sub(r"\1 \2", text)))
    rest, misere = _MISERE.subn(" ", rest)
    passes = _PASSES.search(rest := _PASSES_FIRST.sub(r"\g<head>passes=\g<count> ", rest))
    if passes:
        rest = rest[: passes.start()] + " " + rest[passes.end() :]
    name, rest = _name_of(re.sub(r"[{(] ?[})]", "", rest).strip(" ,;"))
    options = ""
    braces = None if name in {"", "toads", "divisors"} else _BRACES.match(rest)
    if braces and re.search("[=:a-z.]", braces["inside"], re.IGNORECASE):
        options, rest = braces["inside"], rest[braces.end() :]
    return TextWords(
        name=name,
        options=options.strip(),
        body=rest.strip(" :,;="),
        misere=bool(misere),
        passes=(passes["after"] or passes["before"]) if passes else "",
    )


def _name_of(text: str) -> tuple[str, str]:
    """Return the name of the game at the start of a text, and the rest; empty without a name."""
    match = _WORD.match(text)
    if match is None:
        return "", text
    words = match["words"]
    ends = [place.end() for place in re.finditer(r"[A-Za-z0-9']+", words)]
    letters = re.match(r"[A-Za-z']+(?=[0-9])", words)
    before_digits = [letters.end()] if letters else []
    for end in [*reversed(ends[-8:]), *before_digits]:
        word = _letters(words[:end])
        if word in _NAMES:
            return _NAMES[word], text[end:]
    for end in (*ends[:1], *before_digits):
        if (near := near_name(words[:end])) is not None:
            return near, text[end:]
    return "", text


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def near_name(name: str) -> str | None:
    """Return the name of a game that is close to a misspelt one; None if there is none."""
    word = _letters(name[:40])
    if word in _NAMES:
        return _NAMES[word]
    close = get_close_matches(word, _NAMES, n=1, cutoff=0.7) if len(word) >= 3 else []
    return _NAMES[close[0]] if close else None
