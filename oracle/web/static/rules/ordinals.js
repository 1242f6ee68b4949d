// Ordinals below epsilon_0 in Cantor normal form: terms [exponent, coefficient] with falling exponents,
// which are ordinals themselves. w*2+1 is [[[[[], 1]], 2], [[], 1]], and 0 is [].

import { UnreadText } from "./text.js";

const MOST_NESTED = 24;
const ZERO = [];
const TOKEN = /\s*(\d{1,15}|w|[*^+()])\s*/y;

const natural = (number) => (number ? [[ZERO, number]] : ZERO);
const ONE = natural(1);
const OMEGA = [[ONE, 1]];

/** Whether an ordinal is finite. */
export const isNatural = (ordinal) => ordinal.length === 0 || ordinal[0][0].length === 0;

/** The whole number that a finite ordinal is. */
export const toNumber = (ordinal) => (ordinal.length ? ordinal[0][1] : 0);

/** Read `w^2*3+w*5+19`, an ordinal with falling exponents. */
export function readOrdinal(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const take = (token) => tokens[at] === token && (at += 1) > 0;
  const refuse = () => { throw new UnreadText(text); };
  const number = () => (/^\d/.test(tokens[at] ?? "") ? Number(tokens[at++]) : refuse());

  function power(depth) {
    if (take("w")) return OMEGA;
    if (!take("(")) return natural(number());
    const inside = depth < MOST_NESTED ? sum(depth + 1) : refuse();
    return take(")") ? inside : refuse();
  }

  function term(depth) {
    if (!take("w")) return [ZERO, number()];
    return [take("^") ? power(depth) : ONE, take("*") ? number() : 1];
  }

  function sum(depth) {
    const terms = [term(depth)];
    while (take("+")) terms.push(term(depth));
    const falls = terms.every(([exponent], index) => index === 0 || compare(exponent, terms[index - 1][0]) < 0);
    return falls ? terms.filter(([, count]) => count) : refuse();
  }

  const found = sum(0);
  return at === tokens.length ? found : refuse();
}

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) throw new UnreadText(text);
    tokens.push(match[1]);
  }
  return tokens;
}

export function writeOrdinal(ordinal) {
  return ordinal.map(([exponent, count]) => {
    if (!exponent.length) return String(count);
    const written = writeOrdinal(exponent);
    const power = written === "1" ? "" : isNatural(exponent) || written === "w" ? `^${written}` : `^(${written})`;
    return `w${power}${count > 1 ? `*${count}` : ""}`;
  }).join("+") || "0";
}

/** Negative where one ordinal is less than the other, 0 where they are equal. */
export function compare(one, other) {
  for (const [at, [exponent, count]] of one.entries()) {
    if (at === other.length) return 1;
    const order = compare(exponent, other[at][0]) || count - other[at][1];
    if (order) return order;
  }
  return one.length - other.length;
}

/** Whether an ordinal is the next one after another. */
export function follows(ordinal, before) {
  const last = before.at(-1);
  const next = last && !last[0].length ? [...before.slice(0, -1), [ZERO, last[1] + 1]] : [...before, [ZERO, 1]];
  return compare(ordinal, next) === 0;
}

/** All ordinals below a finite one. */
export function allBelow(ordinal) {
  return Array.from({ length: toNumber(ordinal) }, (_, at) => natural(at));
}

/** Some ordinals below one, ascending: `most` of each endless stretch, and the last ones of a finite one. */
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
