"""The text after the name of a game, read leniently: the likeliest bodies of a position."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from position_oracle.engine.games.bodies import outside_brackets
from position_oracle.engine.games.registry import SHORT_FOR
from position_oracle.engine.games.suggest.words import TextWords

MAX_ROWS: Final = 150
"""Maximum number of rows of a board that is suggested."""

_N: Final = r"[0-9]{1,19}"
_LIST: Final = re.compile(
    rf"[\[({{<|]{{0,2}} ?{_N}(?:[\s,;/|.:+_-]{{1,3}}{_N}){{0,63}}[\s,;/|\])}}>.]*"
)
_PASS_LIST: Final = re.compile(rf"[\[(]? ?{_N}p?(?:[\s,;/|+]{{1,3}}{_N}p?){{0,63}}[\s,;\])]*")
_WITH_PASSES: Final = re.compile(
    r"(?P<before>[^;]*[0-9][^;0-9]+[0-9][^;]*); ?(?P<last>[0-9]{1,2})[ \])}]*"
)
_SIDES: Final = re.compile(
    rf"(?P<before>[^0-9^/]{{0,10}})(?P<first>{_N})(?P<between>[^0-9^/]{{1,16}})"
    rf"(?P<second>{_N})(?P<after>[^0-9^/]{{0,10}})"
)
_SIDE_WORD: Final = re.compile(r"x|\*|by|of|and|with|rows?|height|col(?:umn)?s?|width|cookies")
_SIDE_NAME: Final = re.compile(r"row|height|col|width")
_POWERS: Final = re.compile(rf"[\[(]? ?{_N}\^{_N}(?:[ ,/+*]{{1,3}}{_N}(?:\^{_N})?)* ?[\])]?")
_XYZ: Final = re.compile(r"[xyz] ?[=:]")
_NAMED: Final = re.compile(rf"(?P<letter>[xyz]) ?[=:] ?(?P<number>{_N})")
_ORDINALS: Final = re.compile(r"[-\[\]()0-9wxWX^*+, ;/]+")
_STRIP: Final = re.compile(r"[\[(\" ]*(?P<cells>[TtFf><._ oO0-]{1,64})[\])\" ]*")
_PRODUCT: Final = re.compile(
    rf"[\[(]? ?(?P<number>{_N}(?: ?[\^*x] ?{_N})*(?: ?, ?{_N}(?:[\^*]{_N})*)*) ?[\])]?"
)
_CODE: Final = re.compile(r"[{(\[ ]*(?P<options>[04]?\.[0-7]{1,16})[ :,;})]*(?P<rest>.*)")
_TAKEN: Final = re.compile(
    rf"[{{(](?P<options>{_N}(?:[,+ ]+{_N})*)[}})] ?:? ?(?P<rest>[\[({{<|0-9].*)"
)

_FULL: Final = frozenset("#oO@X*xPp●○◯■□▓█▪▫🍪🍫☠")
_ROW_NUMBER: Final = re.compile(r"\A[0-9]{1,3}\s+(?=\D)")


def read_drawing(text: str) -> TextWords | None:
    """Read a board drawn in rows of signs, with the poison at the lower or the upper left."""
    head, _, rest = text.rpartition(":")
    lines = (rest if re.fullmatch(r"\s*[A-Za-z]+\s*", head) else text).strip("\n").splitlines()
    if len(lines) == 1:
        lines = re.split("[/|,;]", lines[0].strip())
    lines = [_ROW_NUMBER.sub("", line.strip()) for line in lines if line.strip(" \t0123456789")]
    lengths = [cells for cells in map(_cells, lines) if cells]
    if len(lengths) < len(lines) or len(lines) > MAX_ROWS or max(len(lines), *lengths, 0) < 2:
        return None
    if lengths == sorted(lengths):
        return TextWords(name="chomp", body="/".join(map(str, lengths[::-1])))
    if lengths == sorted(lengths, reverse=True):
        note = "the poison in the first row"
        return TextWords(name="chomp", body="/".join(map(str, lengths)), note=note)
    return None


def _cells(line: str) -> int:
    """Return the number of cookies in a line; 0 if the line has a gap or other signs."""
    cookies = "".join(line.split()).rstrip("._-·")
    return len(cookies) if _FULL.issuperset(cookies) else 0


def read_unnamed(words: TextWords) -> Iterator[TextWords]:
    """Read a text without the name of a game by its form."""
    body = words.body
    if _STRIP.fullmatch(body) and re.search("[Tt].*[Ff]|[><]", body):
        names = ["toads"]
    elif re.match(r"[04]?\.[0-7]{1,16}\b.*[0-9]", body):
        names = ["octal"]
    elif _sides(body) is not None:
        names = ["chomp"]
    elif _XYZ.search(body):
        names = ["chomp3"]
    elif "w" in body.lower() or re.search("[0-9] ?x ?[0-9]", body):
        names = ["transfinite"]
    else:
        names = _games_of_numbers(body)
    for name in names:
        yield from READERS[name](replace(words, name=name))


def _games_of_numbers(body: str) -> list[str]:
    """Return the games that numbers alone may mean: rows if slashes separate them, else heaps."""
    if not _LIST.fullmatch(body):
        return []
    if "/" in body:
        return ["chomp"]
    numbers = [int(number) for number in re.findall(_N, body)]
    is_board = numbers == sorted(numbers, reverse=True)
    others = {1: ["divisors"], 2: ["wythoff"], 3: ["chomp3"] if "[" in body else []}
    boards = ["chomp"] if len(numbers) > 1 and "[" in body and is_board else []
    return ["nim", *others.get(len(numbers), []), *boards]


def _numbers(words: TextWords) -> tuple[list[str], TextWords]:
    """Return the numbers of a list; a last one after the only semicolon counts passes."""
    match = None if words.passes else _WITH_PASSES.fullmatch(words.body)
    if match and _LIST.fullmatch(match["before"]):
        words = replace(words, body=match["before"], passes=match["last"])
    return re.findall(_N, words.body) if _LIST.fullmatch(words.body) else [], words


def _read_chomp(words: TextWords) -> Iterator[TextWords]:
    """Read row lengths with any separators, sides of a rectangle, or powers of a partition."""
    body = words.body
    if (sides := _sides(body)) is not None:
        yield from _rectangle(words, *sides)
        return
    rows: list[int] = []
    if _POWERS.fullmatch(body):
        for part in re.findall(rf"{_N}(?:\^{_N})?", body):
            length, _, times = part.partition("^")
            rows += [int(length)] * min(int(times or 1), MAX_ROWS + 1)
    else:
        numbers, words = _numbers(words)
        rows = list(map(int, numbers))
    if rows and len(rows) <= MAX_ROWS:
        rows.sort(reverse=True)
        while len(rows) > 1 and not rows[-1]:
            rows.pop()
        yield replace(words, name="chomp", options="", body="/".join(map(str, rows)))
    elif not rows and ("w" in body.lower() or "x" in body.lower()):
        yield from _read_transfinite(replace(words, name="transfinite"))


def _sides(body: str) -> tuple[int, int, bool] | None:
    """Return the width and height of a rectangle, and whether words name them: `4 rows of 7`.

    Words name both sides, or the first after its number. Otherwise `x` or `by` joins the width and
    the height, or `of` the height and the width.
    """
    match = _SIDES.fullmatch(body)
    if match is None:
        return None
    places = ("before", "between", "after")
    before, between, after = (re.findall(r"[a-z*]+", match[place].lower()) for place in places)
    words = [*before, *between, *after]
    if not all(map(_SIDE_WORD.fullmatch, words)):
        return None
    named = ["h" if word[0] in "rh" else "w" for word in words if _SIDE_NAME.match(word)]
    first, second, is_of = int(match["first"]), int(match["second"]), between == ["of"]
    if len(named) == 2:
        is_clear = named[0] != named[1]
    else:
        is_said = len(named) == 1 and _SIDE_NAME.match(" ".join(between)) is not None
        is_joined = not named and (is_of or not {"x", "*", "by"}.isdisjoint(between))
        is_clear = (is_said or is_joined) and not before and ";" not in body
    if not is_clear:
        return None
    sides = (second, first) if named[:1] == ["h"] or (is_of and not named) else (first, second)
    return *sides, bool(named)


def _rectangle(words: TextWords, wide: int, high: int, is_said: bool) -> Iterator[TextWords]:
    """Return the rows of a rectangle, or of its mirror image if there are too many to write."""
    note = ""
    if high > MAX_ROWS >= wide:
        wide, high, note = high, wide, "its mirror image, which has the same outcome: "
    if not 1 <= high <= MAX_ROWS or not wide:
        return
    counted = "" if is_said else f"{note}{high} {'row' if high == 1 else 'rows'} of {wide}"
    body = "/".join([str(wide)] * high)
    yield replace(words, name="chomp", options="", body=body, note=counted)


def _read_chomp3(words: TextWords) -> Iterator[TextWords]:
    """Read three numbers, or x, y and z in any order; with slashes they are row lengths."""
    letters = _XYZ.findall(words.body)
    named = sorted(_NAMED.findall(words.body))
    listed = replace(words, body=_XYZ.sub("", words.body).strip())
    numbers, words = _numbers(listed)
    if letters:
        if len(letters) == len(numbers) and [letter for letter, _ in named] == ["x", "y", "z"]:
            yield replace(words, body=f"[{','.join(number for _, number in named)}]")
    elif len(numbers) == 3 and "/" not in words.body:
        yield replace(words, body=f"[{','.join(numbers)}]")
    elif len(numbers) > 3 or "/" in words.body or _sides(words.body):
        yield from _read_chomp(listed)


def _read_heaps(words: TextWords) -> Iterator[TextWords]:
    """Read heaps with any separators, with or without brackets."""
    body = words.body
    if _PASS_LIST.fullmatch(body) and "p" in body and words.name in {"nim", "octal"}:
        marked = re.findall(rf"{_N}p?", body)
        options = ",".join(filter(None, [_options(words), "heappass"]))
        yield replace(words, options=options, body=f"[{','.join(marked)}]")
        return
    numbers, words = _numbers(words)
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
    taken = re.fullmatch(rf"(?:take=?)?[\[{{(]?({_N}(?:[,+;|]{_N})*)[\]}})]?", text)
    if taken and words.name in {"nim", "subtraction"}:
        return "take=" + re.sub("[,;|]", "+", taken[1])
    most = re.fullmatch(rf"(?:max|atmost|upto|limit|k)=?({_N})", text)
    if most:
        return f"max={most[1]}"
    if code := re.fullmatch(r"(?:code=?)?([04]?)\.([0-7]{1,16})", text):
        return f"code={code[1] or 0}.{code[2]}"
    return text


def _read_with_rules(words: TextWords) -> Iterator[TextWords]:
    """Read heaps, perhaps after the code of an octal game, or the allowed takings in brackets."""
    match = (_CODE if words.name == "octal" else _TAKEN).match(words.body)
    if match and not words.options:
        words = replace(words, options=match["options"], body=match["rest"])
    if words.name != "subtraction":
        yield from _read_heaps(words)
    elif words.options:  # a branch of Nim
        yield from _read_heaps(replace(words, name="nim"))


def _read_divisors(words: TextWords) -> Iterator[TextWords]:
    """Read a number, or a product of powers."""
    match = _PRODUCT.fullmatch(words.body.replace("x", "*"))
    if match:
        yield replace(words, body=match["number"].replace(" ", ""))


def _read_toads(words: TextWords) -> Iterator[TextWords]:
    """Read a strip with letters or arrows as animals, and any other sign as a free cell."""
    match = _STRIP.fullmatch(words.body)
    if match:
        letters = str.maketrans({"t": "T", "f": "F", ">": "T", "<": "F"})
        strip = re.sub("[^TF]", ".", match["cells"].strip().translate(letters))
        yield replace(words, options="", body=strip)


def _read_transfinite(words: TextWords) -> Iterator[TextWords]:
    """Read boxes whose sides lack brackets or have other separators."""
    body = words.body.lower().replace("omega", "w")
    if not _ORDINALS.fullmatch(body):
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
    "nim": _read_with_rules,
    "wythoff": _read_heaps,
    **dict.fromkeys(SHORT_FOR, _read_heaps),
    "octal": _read_with_rules,
    "subtraction": _read_with_rules,
    "divisors": _read_divisors,
    "toads": _read_toads,
    "transfinite": _read_transfinite,
}
