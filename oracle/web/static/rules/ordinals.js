// Ordinals below epsilon_0 in Cantor normal form: terms [exponent, coefficient]. Exponents fall, and are
// ordinals in the same form. w*2+1 is [[[[[], 1]], 2], [[], 1]], and 0 is [].

import { UnreadText } from "./text.js";

const MOST_NESTED = 24;
/** The coefficient near the end of an infinite stretch. */
const NEAR = 9;
const ZERO = [];
/**
 * The text of a term: a whole number, or w to a power, times a number. Only exponents other than numbers and w are
 * in brackets.
 */
const TERM = /^(?:([1-9]\d{0,14})|w(?:\^(?:([2-9]|[1-9]\d{1,14})|(w)|\((.+)\)))?(?:\*([2-9]|[1-9]\d{1,14}))?)$/;

const natural = (number) => (number ? [[ZERO, number]] : ZERO);
const ONE = natural(1);
const OMEGA = [[ONE, 1]];

/** Whether an ordinal is finite. */
export const isNatural = (ordinal) => ordinal.length === 0 || ordinal[0][0].length === 0;

/** A finite ordinal as a whole number. */
export const toNumber = (ordinal) => (ordinal.length ? ordinal[0][1] : 0);

/** Read `w^2*3+w*5+19`, an ordinal with falling exponents. */
export function readOrdinal(text, depth = 0) {
  if (text === "0" && !depth) return ZERO;
  if (/\s/.test(text)) throw new UnreadText(text);
  const terms = splitOutside(text, "+").map((term) => {
    const [found, whole, power, isOmega, inside, times = 1] = TERM.exec(term) ?? [];
    if (!found || depth > MOST_NESTED) throw new UnreadText(text);
    if (whole) return [ZERO, Number(whole)];
    const exponent = inside ? readOrdinal(inside, depth + 1) : isOmega ? OMEGA : natural(Number(power ?? 1));
    if (inside && (isNatural(exponent) || compare(exponent, OMEGA) === 0)) throw new UnreadText(text);
    return [exponent, Number(times)];
  });
  if (terms.some(([exponent], at) => at && compare(exponent, terms[at - 1][0]) >= 0)) throw new UnreadText(text);
  return terms;
}

/** The parts of a text between separators outside brackets. */
export function splitOutside(text, separator) {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    depth += { "(": 1, ")": -1 }[character] ?? 0;
    if (character === separator && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

export function writeOrdinal(ordinal) {
  return ordinal.map(([exponent, count]) => {
    if (!exponent.length) return String(count);
    const written = writeOrdinal(exponent);
    const power = written === "1" ? "" : isNatural(exponent) || written === "w" ? `^${written}` : `^(${written})`;
    return `w${power}${count > 1 ? `*${count}` : ""}`;
  }).join("+") || "0";
}

/** Negative if the first ordinal is less, positive if it is greater, 0 if they are equal. */
export function compare(one, other) {
  for (const [at, [exponent, count]] of one.entries()) {
    if (at === other.length) return 1;
    const order = compare(exponent, other[at][0]) || count - other[at][1];
    if (order) return order;
  }
  return one.length - other.length;
}

/** Whether an ordinal is the successor of another. */
export function follows(ordinal, before) {
  const last = before.at(-1);
  const next = last && !last[0].length ? [...before.slice(0, -1), [ZERO, last[1] + 1]] : [...before, [ZERO, 1]];
  return compare(ordinal, next) === 0;
}

/** The ordinal before a successor; one near the end below a limit ordinal. */
export function nearEnd(ordinal) {
  const [exponent, count] = ordinal.at(-1);
  const kept = count > 1 ? [...ordinal.slice(0, -1), [exponent, count - 1]] : ordinal.slice(0, -1);
  return exponent.length ? [...kept, [nearEnd(exponent), NEAR]] : kept;
}

/** All ordinals below a finite one. */
export function allBelow(ordinal) {
  return Array.from({ length: toNumber(ordinal) }, (_, at) => natural(at));
}

/** Some ordinals below one, ascending: `most` of each infinite stretch, and the last ones of a finite stretch. */
export function someBelow(ordinal, most) {
  if (isNatural(ordinal)) {
    const all = toNumber(ordinal);
    const kept = all <= 2 * most ? all : most;
    const first = Array.from({ length: kept }, (_, at) => natural(at));
    return kept === all ? first : [...first, natural(all - 2), natural(all - 1)];
  }
  const [[exponent, count], ...rest] = ordinal;
  const stretch = belowPower(exponent, most);
  const blocks = Array.from({ length: Math.min(most, count) }, (_, block) =>
    stretch.map((lower) => (block ? [[exponent, block], ...lower] : lower)));
  return [...blocks.flat(), ...someBelow(rest, most).map((lower) => [[exponent, count], ...lower])];
}

/** Some ordinals below w^exponent: the first ones, and powers of w. */
function belowPower(exponent, most) {
  const first = someBelow(natural(most), most);
  if (compare(exponent, ONE) === 0) return first;
  const next = first.map((lower) => [...OMEGA, ...lower]);
  const powers = someBelow(exponent, most).filter((each) => compare(each, ONE) > 0).map((each) => [[each, 1]]);
  return [...first, ...next, ...(powers.length > 2 * most ? [...powers.slice(0, most), ...powers.slice(-most)] : powers)];
}
