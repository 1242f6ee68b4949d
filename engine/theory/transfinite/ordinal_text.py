"""Ordinals as text, `w^2*3+w*5+19`, read from Unicode, too, `ω^2·3+ω·5+19`; and a sort key.

The text of an ordinal is its Cantor normal form, one text per ordinal: terms strictly decreasing,
no `*1`, `^1` or zero terms, an exponent bracketed unless it is a natural number or `w`, no spaces.
Reading is strict. Limits on the text ensure that no text exhausts time or memory.
"""

from dataclasses import dataclass
from functools import lru_cache

from position_oracle.engine.theory.transfinite.ordinal import OMEGA, ZERO, Ordinal, Term, natural
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import shown

MAX_ORDINAL = 2_000
"""Maximum length of the text of one ordinal, in characters."""
MAX_NESTING = 24
"""Deepest nesting of brackets in text."""
MAX_DIGITS = 18
"""Longest natural number in text, in digits: it fits 64 bits."""
MAX_EXPONENT = 99_999
"""Largest natural number read as an exponent."""

_TO_ASCII = str.maketrans({"ω": "w", "·": "*"})
_DIGITS = frozenset("0123456789")


def format_ordinal(value: Ordinal) -> str:
    """Return the canonical text of an ordinal; `parse_ordinal` reads it back."""
    return "+".join(_format_term(e, c) for e, c in value.terms) or "0"


def _format_term(exponent: Ordinal, coefficient: int) -> str:
    if not exponent.terms:
        return str(coefficient)
    power = format_ordinal(exponent)
    if power == "1":
        power = "w"
    elif exponent.is_finite or exponent == OMEGA:
        power = f"w^{power}"
    else:
        power = f"w^({power})"
    return power if coefficient == 1 else f"{power}*{coefficient}"


@lru_cache(maxsize=64)
def parse_ordinal(text: str) -> Ordinal:
    """Read an ordinal below epsilon_0 from its canonical text, in ASCII or Unicode.

    Raises:
        NotationError: if the text is not the canonical form of an ordinal below epsilon_0, or asks
            for more than `MAX_ORDINAL`, `MAX_NESTING`, `MAX_DIGITS` or `MAX_EXPONENT` allow.
    """
    if len(text) > MAX_ORDINAL:
        raise NotationError(f"ordinal of {len(text)} characters: at most {MAX_ORDINAL} are allowed")
    if "ε" in text or text[:1] == "e":
        raise NotationError(f"{shown(text)}: ordinals must be below epsilon_0")
    reader = _Reader(text.translate(_TO_ASCII))
    value = reader.ordinal(0)
    if reader.at < len(text):
        raise reader.error("an operator or the end")
    return value


@dataclass(slots=True)
class _Reader:
    """A recursive-descent reader; recursion is bounded by `MAX_NESTING`."""

    text: str
    at: int = 0

    def error(self, expected: str) -> NotationError:
        found = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
        return NotationError(
            f"{shown(self.text)}: expected {expected} at character {self.at + 1}, found {found}"
        )

    def take(self, symbol: str) -> bool:
        if self.text.startswith(symbol, self.at):
            self.at += 1
            return True
        return False

    def ordinal(self, depth: int) -> Ordinal:
        if self.text[self.at : self.at + 1] == "0":
            self.at += 1
            return ZERO
        terms: list[Term] = []
        while True:
            start = self.at
            term = self.term(depth)
            if terms and not terms[-1][0] > term[0]:
                self.at = start
                raise self.error("a term with a smaller exponent than the one before")
            terms.append(term)
            if not self.take("+"):
                return Ordinal(tuple(terms))

    def term(self, depth: int) -> Term:
        if not self.take("w"):
            return ZERO, self.number(1)
        exponent = self.exponent(depth) if self.take("^") else natural(1)
        return exponent, self.number(2) if self.take("*") else 1

    def exponent(self, depth: int) -> Ordinal:
        if self.take("w"):
            return OMEGA
        start = self.at
        if not self.take("("):
            value = self.number(2)
            if value > MAX_EXPONENT:
                self.at = start
                raise self.error(f"an exponent of at most {MAX_EXPONENT}")
            return natural(value)
        if depth >= MAX_NESTING:
            raise self.error(f"at most {MAX_NESTING} nested brackets")
        exponent = self.ordinal(depth + 1)
        if not self.take(")"):
            raise self.error("')'")
        if exponent.is_finite or exponent == OMEGA:
            self.at = start
            raise self.error("an exponent without brackets, as it is a natural number or w")
        return exponent

    def number(self, least: int) -> int:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _DIGITS:
            self.at += 1
        digits = self.text[start : self.at]
        if len(digits) > MAX_DIGITS:
            self.at = start
            raise self.error(f"a number of at most {MAX_DIGITS} digits")
        if not digits or digits[0] == "0" or int(digits) < least:
            self.at = start
            raise self.error(f"w or a number of at least {least}")
        return int(digits)


def sort_key(value: Ordinal) -> str:
    """Return an ASCII text whose binary order is the order of ordinals, for sorting in SQL.

    Every term is `1`, the key of its exponent, and its coefficient led by the number of its digits;
    `0` ends an ordinal. Every part is prefix-free, so the order of texts is that of the parts.
    """
    return "".join(f"1{sort_key(e)}{_number_key(c)}" for e, c in value.terms) + "0"


def _number_key(n: int) -> str:
    digits = str(n)
    length = len(digits)
    return (chr(ord("a") + length - 1) if length < 26 else f"z{length:04d}") + digits
