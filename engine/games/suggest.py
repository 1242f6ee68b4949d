"""What somebody probably meant whose text is no position: `7x4` is `chomp:7/7/7/7`.

A text is read leniently: signs of other keyboards and programs become ours, words are sorted into
the name of a game, its options, misere play, passes, and what is left, which is then read as the
body of a position of that game. What comes out is suggested only if it is a position. Where it may
mean several things, several are suggested.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice, pairwise
from typing import Final

from engine.games.registry import FAMILIES, SHORT_FOR

MAX_READ: Final = 4096
"""Longest drawing of a board that is read."""

MAX_WORDS: Final = 800
"""Longest text that is read otherwise."""

MAX_SUGGESTED: Final = 300
"""Longest position that is suggested."""

MOST: Final = 3
"""Most positions that are suggested for one text."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A position that was probably meant.

    Attributes:
        text: a text that can be read.
        note: what to know about it; mostly empty.
    """

    text: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text


@dataclass(frozen=True, slots=True)
class _Words:
    """The parts of a text: the name of a game, options in braces, and the rest."""

    name: str = ""
    options: str = ""
    body: str = ""
    misere: bool = False
    passes: str = ""


def suggestions(text: str, is_position: Callable[[str], bool]) -> tuple[Suggestion, ...]:
    """The positions that a text probably means, the likeliest first; none where nothing is near.

    Args:
        text: a text that is no position.
        is_position: whether a text is one.
    """
    if len(text) > MAX_READ:
        return ()
    found: dict[str, Suggestion] = {}
    for each in _candidates(text):
        if len(each.text) <= MAX_SUGGESTED and each.text not in found and is_position(each.text):
            found[each.text] = each
    return tuple(islice(found.values(), MOST))


def did_you_mean(found: Iterable[Suggestion]) -> str:
    """The end of a message: `; did you mean chomp:7/7/7/7?`, empty without suggestions."""
    texts = [str(each) for each in found]
    return f"; did you mean {' or '.join(texts)}?" if texts else ""


def near_name(name: str) -> str | None:
    """The name of a game that a misspelt one is near to; None where there is none."""
    word = re.sub(r"[^a-z0-9]", "", name.lower()[:40])
    if word in _NAMES:
        return _NAMES[word]
    close = get_close_matches(word, _NAMES, n=1, cutoff=0.7) if len(word) >= 3 else []
    return _NAMES[close[0]] if close else None


def _candidates(text: str) -> Iterator[Suggestion]:
    drawn = _drawing(text)
    if drawn is not None:
        yield drawn
        return
    if len(text) > MAX_WORDS:
        return
    clean = _clean(text)
    parts = _sum_parts(clean)
    if parts is not None:
        yield from _sums(*parts)
        return
    yield Suggestion(clean)
    yield from _single(clean)


def _single(text: str) -> Iterator[Suggestion]:
    """What one position is meant by a text without strange signs."""
    words = _sorted(_as_others_write(text))
    readers = _READERS.get(words.name, (_read_unnamed,) if not words.name else ())
    for read in readers:
        for body in read(words):
            yield from _written(body)


# --- from strange signs to ours ------------------------------------------------------------------

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


def _clean(text: str) -> str:
    """The text in our signs: plain letters and digits, one space at most, no quotes around it."""
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


def _as_others_write(text: str) -> str:
    """Notations of other programs as words: CGSuite, OpenSpiel, nimbers."""
    if match := _CGSUITE.fullmatch(text):
        return f"{match['name']} {match['body']}"
    if _NIMBERS.fullmatch(text):
        return "nim " + text.replace("*", " ").replace("+", " ")
    return _PILES.sub(" ", text)


# --- sums ----------------------------------------------------------------------------------------

_PLUS: Final = re.compile(r" ?(?:\+|\band\b|\bplus\b) ?(?=[a-zA-Z][a-zA-Z0-9'-]{2,} ?[\[({:0-9 ])")
_MISERE_SUM: Final = re.compile(r"mis[eè]re ?[({](?P<inside>.*)[)}]", re.IGNORECASE)


def _sum_parts(text: str) -> tuple[list[str], bool] | None:
    """The texts of the components and whether play is misere; None for a single position."""
    misere = _MISERE_SUM.fullmatch(text)
    parts = _PLUS.split(misere["inside"] if misere else text)
    return (parts, misere is not None) if 1 < len(parts) <= 64 else None


def _sums(parts: list[str], misere: bool) -> Iterator[Suggestion]:
    """A sum of what each component is, or may mean."""
    likely = []
    for part in parts:
        own = next(_readable((Suggestion(part), *_single(part))), None)
        if own is None:
            return
        likely.append(own.text)
    text = " + ".join(likely)
    yield Suggestion(f"misere{{{text}}}" if misere else text)


def _readable(candidates: Iterable[Suggestion]) -> Iterator[Suggestion]:
    from engine.games.notation import is_position

    return (each for each in candidates if is_position(each.text))


# --- the words of a text -------------------------------------------------------------------------

_SYNONYMS: Final = {
    "chomp3": ("threerowchomp", "3rowchomp", "chompthree", "threerowedchomp", "zeilberger"),
    "chomp": ("chocolate", "chompboard", "partition", "chompgame", "youngdiagram"),
    "nim": ("nimm", "marienbad", "pilesofnim", "nimgame", "normalnim", "heaps", "nimheap"),
    "wythoff": ("wythoffs", "wythoffsgame", "wythoffnim", "wythoffgame", "wyt", "wythof"),
    "divisors": ("divisor", "schuh", "schuhs", "schuhsgame", "gameofdivisors", "divisorgame"),
    "transfinite": ("transfinitechomp", "ordinalchomp", "ordinal", "ordinals", "infinitechomp"),
    "octal": ("octalgame", "takeandbreak"),
    "toads": ("toadsandfrogs", "frogs", "toadsfrogs", "toad", "frogsandtoads"),
    "kayles": ("kayle", "kayleses"),
    "dawson": ("dawsonskayles", "dawsonkayles", "dawsons"),
    "dawsonchess": ("dawsonschess",),
    "subtraction": ("subtractiongame", "boundednim", "takeaway", "bachet", "bachetsgame"),
}
_NAMES: Final = {
    **{name: name for name in (*FAMILIES, *SHORT_FOR) if "_" not in name and name != "sum"},
    **{word: name for name, words in _SYNONYMS.items() for word in words},
}
_WORD: Final = re.compile(r"(?P<words>[A-Za-z][A-Za-z0-9' _-]{0,60})")
_MISERE: Final = re.compile(
    r"[,;]? ?\b(?:is_)?mis[eè]re(?: play| nim)?(?:\(\))?(?: ?[=:] ?(?:true|1))?\b,?", re.IGNORECASE
)
_NORMAL: Final = re.compile(r"[,;]? ?\bis_misere ?= ?(?:false|0)\b", re.IGNORECASE)
_PASSES: Final = re.compile(
    r"[,;]? ?\b(?:with )?(?:pass(?:es)? ?[=:]? ?(?P<after>[0-9]{1,2})|(?P<before>[0-9]{1,2}) "
    r"pass(?:es)?)\b",
    re.IGNORECASE,
)
_BRACES: Final = re.compile(r" ?[{(](?P<inside>[^{}()]{0,200})[})] ?:?", re.IGNORECASE)


def _sorted(text: str) -> _Words:
    """The text by its words: options, misere play and passes taken out."""
    rest, misere = _MISERE.subn(" ", _NORMAL.sub(" ", text))
    passes = _PASSES.search(rest)
    if passes:
        rest = rest[: passes.start()] + " " + rest[passes.end() :]
    name, rest = _name_of(re.sub(r"[{(] ?[})]", "", rest).strip(" ,;"))
    options = ""
    braces = None if name in {"", "toads", "divisors"} else _BRACES.match(rest)
    if braces and re.search("[=:a-z.]", braces["inside"], re.IGNORECASE):
        options, rest = braces["inside"], rest[braces.end() :]
    return _Words(
        name=name,
        options=options.strip(),
        body=rest.strip(" :,;="),
        misere=bool(misere),
        passes=(passes["after"] or passes["before"]) if passes else "",
    )


def _name_of(text: str) -> tuple[str, str]:
    """The name of the game that a text begins with, and the rest; empty where there is none."""
    match = _WORD.match(text)
    if match is None:
        return "", text
    words = match["words"]
    ends = [place.end() for place in re.finditer(r"[A-Za-z0-9']+", words)]
    for end in [*reversed(ends[-8:]), *_letters_before_digits(words)]:
        word = re.sub(r"[^a-z0-9]", "", words[:end].lower())
        if word in _NAMES:
            return _NAMES[word], text[end:]
    for end in (*ends[:1], *_letters_before_digits(words)):
        if (near := near_name(words[:end])) is not None:
            return near, text[end:]
    return "", text


def _letters_before_digits(words: str) -> list[int]:
    match = re.match(r"[A-Za-z']+(?=[0-9])", words)
    return [match.end()] if match else []


# --- bodies --------------------------------------------------------------------------------------

_N: Final = r"[0-9]{1,19}"
_NUMBER: Final = re.compile(_N)
_LIST: Final = re.compile(
    rf"[\[({{<|]{{0,2}} ?{_N}(?:[\s,;/|.:+_-]{{1,3}}{_N}){{0,63}}[\s,;/|\])}}>.]*"
)
_PASS_LIST: Final = re.compile(rf"[\[(]? ?{_N}p?(?:[\s,;/|+]{{1,3}}{_N}p?){{0,63}}[\s,;\])]*")
_BY: Final = re.compile(rf"[\[(]? ?(?P<wide>{_N}) ?(?:x|\*|by|X) ?(?P<high>{_N}) ?[\])]?")
_ROWS_OF: Final = re.compile(
    rf"(?P<high>{_N}) ?rows?,? ?(?:x|by|of|and|\*|with)? ?(?P<wide>{_N})"
    r"(?: ?col(?:umn)?s?| cookies?)?"
)
_COLUMNS_OF: Final = re.compile(
    rf"(?P<wide>{_N}) ?col(?:umn)?s?,? ?(?:x|by|of|and|\*|with)? ?(?P<high>{_N})(?: ?rows?)?"
)
_NAMED_SIDES: Final = re.compile(
    rf"(?:rows?|height) ?[=:] ?(?P<high>{_N})[ ,;]*(?:col(?:umn)?s?|width) ?[=:] ?(?P<wide>{_N})"
)
_POWERS: Final = re.compile(rf"[\[(]? ?{_N}\^{_N}(?:[ ,/+*]{{1,3}}{_N}(?:\^{_N})?)* ?[\])]?")
_XYZ: Final = re.compile(rf"[\[(]?x ?[=:] ?({_N})[ ,;]+y ?[=:] ?({_N})[ ,;]+z ?[=:] ?({_N})[\])]?")
_SIDES: Final = re.compile(r"[-\[\]()0-9wxWX^*+, ;/]+")
_STRIP: Final = re.compile(r"[\[(\" ]*(?P<cells>[TtFf><._ oO0-]{1,64})[\])\" ]*")
_PRODUCT: Final = re.compile(
    rf"[\[(]? ?(?P<number>{_N}(?: ?[\^*x] ?{_N})*(?: ?, ?{_N}(?:[\^*]{_N})*)*) ?[\])]?"
)
MAX_ROWS: Final = 150


def _read_unnamed(words: _Words) -> Iterator[_Words]:
    """A text without the name of a game: by its form."""
    body = words.body
    if _STRIP.fullmatch(body) and re.search("[Tt].*[Ff]|[><]", body):
        yield from _read_toads(replace(words, name="toads"))
    elif body.startswith(("0.", ".", "4.")) and re.match(r"[04]?\.[0-7]{1,16}\b.*[0-9]", body):
        yield from _read_octal(replace(words, name="octal"))
    elif any(form.fullmatch(body) for form in (_BY, _ROWS_OF, _COLUMNS_OF, _NAMED_SIDES)):
        yield from _read_chomp(replace(words, name="chomp"))
    elif _XYZ.fullmatch(body):
        yield from _read_chomp3(replace(words, name="chomp3"))
    elif "w" in body.lower() or re.search("[0-9] ?x ?[0-9]", body):
        yield from _read_transfinite(replace(words, name="transfinite"))
    elif _LIST.fullmatch(body):
        yield from _read_numbers(words)


def _read_numbers(words: _Words) -> Iterator[_Words]:
    """Numbers alone: rows where slashes part them, else heaps; one number may be a number."""
    body = words.body
    if "/" in body:
        yield from _read_chomp(replace(words, name="chomp"))
        return
    yield from _read_heaps(replace(words, name="nim"))
    numbers = _NUMBER.findall(body)
    if len(numbers) == 1:
        yield from _read_divisors(replace(words, name="divisors"))
    if len(numbers) == 2:
        yield from _read_heaps(replace(words, name="wythoff"))
    if len(numbers) == 3 and "[" in body:
        yield from _read_chomp3(replace(words, name="chomp3"))
    lengths = [int(number) for number in numbers]
    if len(lengths) > 1 and "[" in body and lengths == sorted(lengths, reverse=True):
        yield from _read_chomp(replace(words, name="chomp"))


def _read_chomp(words: _Words) -> Iterator[_Words]:
    """Row lengths with any separators, sides of a rectangle, or powers of a partition."""
    body = words.body
    for form in (_BY, _ROWS_OF, _COLUMNS_OF, _NAMED_SIDES):
        if match := form.fullmatch(body):
            yield from _rectangle(words, int(match["wide"]), int(match["high"]), form is not _BY)
            return
    rows: list[int] = []
    if _POWERS.fullmatch(body):
        for part in re.findall(rf"{_N}(?:\^{_N})?", body):
            length, _, times = part.partition("^")
            rows += [int(length)] * min(int(times or 1), MAX_ROWS + 1)
    elif _LIST.fullmatch(body):
        body, words = _with_last_as_passes(words)
        rows = list(map(int, _NUMBER.findall(body)))
    elif "w" in body.lower() or "x" in body.lower():
        yield from _read_transfinite(replace(words, name="transfinite"))
        return
    if rows and len(rows) <= MAX_ROWS:
        rows.sort(reverse=True)
        while len(rows) > 1 and not rows[-1]:
            rows.pop()
        yield replace(words, options="", body="/".join(map(str, rows)))


def _rectangle(words: _Words, wide: int, high: int, is_said: bool) -> Iterator[_Words]:
    """Rows of a rectangle; if they are too many to be written, those of its mirror image."""
    note = ""
    if high > MAX_ROWS >= wide:
        wide, high, note = high, wide, "its mirror image, which has the same outcome: "
    if not 1 <= high <= MAX_ROWS or not wide:
        return
    counted = f"{note}{high} {'row' if high == 1 else 'rows'} of {wide}"
    yield replace(
        words, options="", body="/".join([str(wide)] * high) + "\0" + ("" if is_said else counted)
    )


def _with_last_as_passes(words: _Words) -> tuple[str, _Words]:
    """A body whose last number stands behind the only semicolon, which parts passes."""
    before, semicolon, after = words.body.rpartition(";")
    last = re.fullmatch(r" ?([0-9]{1,2})[ \])}]*", after)
    if not (semicolon and last) or ";" in before or words.passes:
        return words.body, words
    is_list = _LIST.fullmatch(before) and re.search("[0-9][^0-9]+[0-9]", before)
    return (before, replace(words, passes=last[1])) if is_list else (words.body, words)


def _read_chomp3(words: _Words) -> Iterator[_Words]:
    """Three numbers; parted by slashes they are row lengths."""
    if match := _XYZ.fullmatch(words.body):
        yield replace(words, body=f"[{','.join(match.groups())}]")
        return
    if "/" in words.body or _BY.fullmatch(words.body):
        yield from _read_chomp(replace(words, name="chomp"))
        return
    body, words = _with_last_as_passes(words)
    numbers = _NUMBER.findall(body) if _LIST.fullmatch(body) else []
    if len(numbers) == 3:
        yield replace(words, body=f"[{','.join(numbers)}]")
    if len(numbers) > 3:
        yield from _read_chomp(replace(words, name="chomp"))


def _read_heaps(words: _Words) -> Iterator[_Words]:
    """Heaps with any separators and brackets, or none."""
    body, words = _with_last_as_passes(words)
    if _PASS_LIST.fullmatch(body) and "p" in body and words.name in {"nim", "octal"}:
        marked = re.findall(rf"{_N}p?", body)
        options = ",".join(filter(None, [_options(words), "heappass"]))
        yield replace(words, options=options, body=f"[{','.join(marked)}]")
        return
    numbers = _NUMBER.findall(body) if _LIST.fullmatch(body) else []
    if not numbers:
        return
    words = replace(words, body=f"[{','.join(numbers)}]")
    if words.name == "wythoff" and len(numbers) == 3:
        rules = [rule for rule in ("pairs", "all", "both") if rule in words.options]
        for rule in rules or ["pairs", "all", "both"]:
            yield replace(words, options=f"rule={rule}")
        return
    yield replace(words, options=_options(words))


def _options(words: _Words) -> str:
    """Options of heap games as we write them; those that the position shows itself are left out."""
    text = words.options.replace(" ", "").replace(":", "=").lower()
    text = re.sub(r"\b(?:heaps|passes)=[0-9]+,?", "", text).strip(",")
    taken = re.fullmatch(r"(?:take=?)?[\[{(]?([0-9]{1,19}(?:[,+;|][0-9]{1,19})*)[\]})]?", text)
    if taken and words.name in {"nim", "subtraction"}:
        return "take=" + re.sub("[,;|]", "+", taken[1])
    most = re.fullmatch(r"(?:max|atmost|upto|limit|k)=?([0-9]{1,19})", text)
    if most:
        return f"max={most[1]}"
    if code := re.fullmatch(r"(?:code=?)?([04]?)\.([0-7]{1,16})", text):
        return f"code={code[1] or 0}.{code[2]}"
    return text


_CODE_FIRST: Final = re.compile(r"(?P<code>[04]?\.[0-7]{1,16})(?P<rest>.*)")


def _read_octal(words: _Words) -> Iterator[_Words]:
    """A code somewhere before the heaps."""
    code = _CODE_FIRST.match(words.body.lstrip("{([ "))
    if code and not words.options:
        rest = code["rest"].strip(" :,;})")
        words = replace(words, options=code["code"], body=rest)
    yield from _read_heaps(words)


def _read_subtraction(words: _Words) -> Iterator[_Words]:
    """A subtraction game is a branch of Nim."""
    numbers = re.match(rf"[{{(](?P<set>{_N}(?:[,+ ]+{_N})*)[}})](?P<rest>.*)", words.body)
    if numbers and not words.options:
        words = replace(words, options=numbers["set"], body=numbers["rest"].strip(" :"))
    if words.options:
        yield from _read_heaps(replace(words, name="nim", options=_options(words)))


def _read_nim(words: _Words) -> Iterator[_Words]:
    """Heaps, or numbers in braces that say how many may be taken."""
    if words.body.startswith(("{", "(")) and re.search(r"[})] ?:? ?[\[(0-9]", words.body):
        yield from _read_subtraction(words)
    else:
        yield from _read_heaps(words)


def _read_divisors(words: _Words) -> Iterator[_Words]:
    """A number, or a product of powers."""
    match = _PRODUCT.fullmatch(words.body.replace("x", "*"))
    if match:
        yield replace(words, body=match["number"].replace(" ", ""))


def _read_toads(words: _Words) -> Iterator[_Words]:
    """A strip whose toads and frogs are letters or arrows, and whose free cells are anything."""
    match = _STRIP.fullmatch(words.body)
    if match:
        cells = match["cells"].strip() if words.name else match["cells"]
        letters = str.maketrans({"t": "T", "f": "F", ">": "T", "<": "F"})
        strip = "".join(c if c in "TF" else "." for c in cells.translate(letters))
        yield replace(words, options="", body=strip)


def _read_transfinite(words: _Words) -> Iterator[_Words]:
    """Boxes whose sides lack brackets or have other separators."""
    body = words.body.lower().replace("omega", "w")
    if not _SIDES.fullmatch(body):
        return
    if "x" not in body and ("," in body or ";" in body):
        body = re.sub(r" ?[,;] ?", "x", body.strip("[]() "))
    body = body.replace(" ", "").replace("[", "(").replace("]", ")").replace(",", "+")
    yield replace(words, options="", body=" + ".join("x".join(box) for box in _boxes(body)))


def _boxes(body: str) -> list[list[str]]:
    """The sides of each box; a part of a sum without sides belongs to its neighbour."""
    boxes: list[list[str]] = []
    loose = ""
    for part in _outside_brackets(body, "+"):
        sides = _outside_brackets(part, "x")
        if len(sides) > 1 or not (boxes or "x" in body):
            sides[0] = f"{loose}+{sides[0]}" if loose else sides[0]
            boxes.append(sides)
            loose = ""
        elif boxes:
            boxes[-1][-1] += f"+{part}"
        else:
            loose = f"{loose}+{part}".lstrip("+")
    return [[_side(side) for side in box] for box in boxes or [[loose]]]


def _outside_brackets(text: str, separator: str) -> list[str]:
    """The parts between separators that stand in no brackets; missing brackets are as they are."""
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")" and depth > 0)
        if sign == separator and not depth:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def _side(text: str) -> str:
    """One side, its powers and sums in brackets."""
    side = text.lstrip("(") if text.count("(") > text.count(")") else text
    if side.startswith("(") and side.endswith(")"):
        side = side[1:-1]
    side += ")" * max(side.count("(") - side.count(")"), 0)
    side = re.sub(r"(?<![0-9^w])([0-9]{1,6})\*?w(?![0-9])", r"w*\1", side)
    side = re.sub(r"w([0-9]{1,19})", r"w*\1", side)
    side = re.sub(r"\bw\^1\b|w\*1\b", "w", side)
    for _ in range(8):
        longer = re.sub(r"\^(w\^(?:w|[0-9]+|\([^()]*\)))(?![\^(])", r"^(\1)", side)
        longer = re.sub(r"\^\(([0-9]+|w)\)", r"^\1", longer)
        if longer == side:
            break
        side = longer
    return f"({side})" if re.search(r"[+*]", side) else side


_READERS: Final[dict[str, tuple[Callable[[_Words], Iterator[_Words]], ...]]] = {
    "chomp": (_read_chomp,),
    "chomp3": (_read_chomp3,),
    "nim": (_read_nim,),
    "wythoff": (_read_heaps,),
    "kayles": (_read_heaps,),
    "dawson": (_read_heaps,),
    "dawsonchess": (_read_heaps,),
    "octal": (_read_octal,),
    "subtraction": (_read_subtraction,),
    "divisors": (_read_divisors,),
    "toads": (_read_toads,),
    "transfinite": (_read_transfinite,),
}


def _written(words: _Words) -> Iterator[Suggestion]:
    """The text of a position from its parts, with passes where such a text has them."""
    options = [option for option in (words.options, "misere" if words.misere else "") if option]
    braces = f"{{{','.join(options)}}}" if options else ""
    body, _, note = words.body.partition("\0")
    if words.passes and words.passes != "0":
        inside = body.endswith("]")
        body = f"{body[:-1]};{words.passes}]" if inside else f"{body};{words.passes}"
    yield Suggestion(f"{words.name}{braces}:{body}", note)


# --- boards that are drawn -----------------------------------------------------------------------

_FULL: Final = frozenset("#oO@X*xPp●○◯■□▓█▪▫🍪🍫☠")
_EMPTY: Final = frozenset(". _-·")
_ROW_NUMBER: Final = re.compile(r"\A[0-9]{1,3}\s+(?=\D)")


def _drawing(text: str) -> Suggestion | None:
    """A board drawn in rows of signs; the poison may be at the lower or the upper left."""
    head, _, rest = text.rpartition(":")
    lines = (rest if re.fullmatch(r"\s*[A-Za-z]+\s*", head) else text).strip("\n").splitlines()
    if len(lines) == 1:
        lines = re.split("[/|,;]", lines[0].strip())
    lines = [_ROW_NUMBER.sub("", line.strip()) for line in lines if line.strip(" \t0123456789")]
    rows = [_cells(line) for line in lines]
    if not rows or None in rows or len(rows) > MAX_ROWS:
        return None
    lengths = [row for row in rows if row]
    if not lengths or (max(lengths) < 2 and len(lengths) < 2):
        return None
    from_top = lengths[::-1]
    poison_below = all(lower >= upper for lower, upper in pairwise(from_top))
    poison_above = all(upper >= lower for upper, lower in pairwise(lengths))
    if not poison_below and not poison_above:
        return None
    ordered = from_top if poison_below else lengths
    note = "" if poison_below else "the poison in the first row"
    return Suggestion("chomp:" + "/".join(map(str, ordered)), note)


def _cells(line: str) -> int | None:
    """How many cookies a line has; None if it is none of a drawing, or has a gap."""
    signs = "".join(line.split())
    if not signs or not set(signs) <= _FULL | _EMPTY:
        return None
    full = len(signs.rstrip("".join(_EMPTY)))
    return full if full and set(signs[:full]) <= _FULL else None
