"""The text after the name of a game, read leniently: the likeliest bodies of a position."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from position_oracle.engine.games.bodies import outside_brackets
from position_oracle.engine.games.registry import SHORT_FOR
from position_oracle.engine.games.suggest.drawings import MAX_ROWS
from position_oracle.engine.games.suggest.words import TextWords

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


def read_unnamed(words: TextWords) -> Iterator[TextWords]:
    """Read a text without the name of a game by its form."""
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


def _read_numbers(words: TextWords) -> Iterator[TextWords]:
    """Read numbers alone: rows if slashes separate them, else heaps."""
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


def _read_chomp(words: TextWords) -> Iterator[TextWords]:
    """Read row lengths with any separators, sides of a rectangle, or powers of a partition."""
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


def _rectangle(words: TextWords, wide: int, high: int, is_said: bool) -> Iterator[TextWords]:
    """Return the rows of a rectangle, or of its mirror image if there are too many to write."""
    note = ""
    if high > MAX_ROWS >= wide:
        wide, high, note = high, wide, "its mirror image, which has the same outcome: "
    if not 1 <= high <= MAX_ROWS or not wide:
        return
    counted = "" if is_said else f"{note}{high} {'row' if high == 1 else 'rows'} of {wide}"
    yield replace(words, options="", body="/".join([str(wide)] * high), note=counted)


def _with_last_as_passes(words: TextWords) -> tuple[str, TextWords]:
    """Return a body whose last number follows the only semicolon and so counts passes."""
    before, semicolon, after = words.body.rpartition(";")
    last = re.fullmatch(r" ?([0-9]{1,2})[ \])}]*", after)
    if not (semicolon and last) or ";" in before or words.passes:
        return words.body, words
    is_list = _LIST.fullmatch(before) and re.search("[0-9][^0-9]+[0-9]", before)
    return (before, replace(words, passes=last[1])) if is_list else (words.body, words)


def _read_chomp3(words: TextWords) -> Iterator[TextWords]:
    """Read three numbers; with slashes they are row lengths."""
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


def _read_heaps(words: TextWords) -> Iterator[TextWords]:
    """Read heaps with any separators, with or without brackets."""
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


def _options(words: TextWords) -> str:
    """Write options of heap games; those that the position itself shows are left out."""
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


def _read_octal(words: TextWords) -> Iterator[TextWords]:
    """Read a code that comes somewhere before the heaps."""
    code = _CODE_FIRST.match(words.body.lstrip("{([ "))
    if code and not words.options:
        rest = code["rest"].strip(" :,;})")
        words = replace(words, options=code["code"], body=rest)
    yield from _read_heaps(words)


def _read_subtraction(words: TextWords) -> Iterator[TextWords]:
    """Read a subtraction game, which is a branch of Nim."""
    numbers = re.match(rf"[{{(](?P<set>{_N}(?:[,+ ]+{_N})*)[}})](?P<rest>.*)", words.body)
    if numbers and not words.options:
        words = replace(words, options=numbers["set"], body=numbers["rest"].strip(" :"))
    if words.options:
        yield from _read_heaps(replace(words, name="nim", options=_options(words)))


def _read_nim(words: TextWords) -> Iterator[TextWords]:
    """Read heaps, or numbers in braces that give the allowed takings."""
    if words.body.startswith(("{", "(")) and re.search(r"[})] ?:? ?[\[(0-9]", words.body):
        yield from _read_subtraction(words)
    else:
        yield from _read_heaps(words)


def _read_divisors(words: TextWords) -> Iterator[TextWords]:
    """Read a number, or a product of powers."""
    match = _PRODUCT.fullmatch(words.body.replace("x", "*"))
    if match:
        yield replace(words, body=match["number"].replace(" ", ""))


def _read_toads(words: TextWords) -> Iterator[TextWords]:
    """Read a strip with letters or arrows as animals, and any other sign as a free cell."""
    match = _STRIP.fullmatch(words.body)
    if match:
        cells = match["cells"].strip() if words.name else match["cells"]
        letters = str.maketrans({"t": "T", "f": "F", ">": "T", "<": "F"})
        strip = "".join(c if c in "TF" else "." for c in cells.translate(letters))
        yield replace(words, options="", body=strip)


def _read_transfinite(words: TextWords) -> Iterator[TextWords]:
    """Read boxes whose sides lack brackets or have other separators."""
    body = words.body.lower().replace("omega", "w")
    if not _SIDES.fullmatch(body):
        return
    if "x" not in body and ("," in body or ";" in body):
        body = re.sub(r" ?[,;] ?", "x", body.strip("[]() "))
    body = body.replace(" ", "").replace("[", "(").replace("]", ")").replace(",", "+")
    yield replace(words, options="", body=" + ".join("x".join(box) for box in _boxes(body)))


def _boxes(body: str) -> list[list[str]]:
    """Return the sides of each box; a term without sides belongs to the term before it."""
    boxes: list[list[str]] = []
    loose = ""
    for part in outside_brackets(body, "+"):
        sides = outside_brackets(part, "x")
        if len(sides) > 1 or not (boxes or "x" in body):
            sides[0] = f"{loose}+{sides[0]}" if loose else sides[0]
            boxes.append(sides)
            loose = ""
        elif boxes:
            boxes[-1][-1] += f"+{part}"
        else:
            loose = f"{loose}+{part}".lstrip("+")
    return [[_side(side) for side in box] for box in boxes or [[loose]]]


def _side(text: str) -> str:
    """Return one side, with its powers and sums in brackets."""
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


READERS: Final[dict[str, Callable[[TextWords], Iterator[TextWords]]]] = {
    "chomp": _read_chomp,
    "chomp3": _read_chomp3,
    "nim": _read_nim,
    "wythoff": _read_heaps,
    **dict.fromkeys(SHORT_FOR, _read_heaps),
    "octal": _read_octal,
    "subtraction": _read_subtraction,
    "divisors": _read_divisors,
    "toads": _read_toads,
    "transfinite": _read_transfinite,
}
