// Schuh's game of divisors: `divisors:2^3*3^2`. Moves come from the oracle, which has the canonical
// texts; here are the numbers that are left.

import { UnreadText, prefix, withCount } from "./text.js";

const MOST_NUMBERS = 5000;

export function readDivisors({ options, body, passes }) {
  const ideals = body.split(",").map(readFactors);
  const numbers = body === "0" ? [] : divisorsOf(ideals);
  return {
    kind: "divisors", game: prefix("divisors", options), passes, misere: options.has("misere"),
    text: withCount(`${prefix("divisors", options)}:${ideals.length === 1 && body !== "0" ? written(ideals[0]) : body}`, passes),
    numbers, primes: [...new Set(ideals.flatMap((each) => [...each.keys()]))].sort(ascending),
    size: numbers.length, local: false,
    moverWon: numbers.length ? null : !options.has("misere"),
  };
}

function readFactors(text) {
  const factors = new Map();
  for (const part of text.split("*")) {
    const match = /^\s*(\d{1,19})(?:\^(\d{1,2}))?\s*$/.exec(part);
    if (!match) throw new UnreadText(text);
    for (const [prime, power] of factorsOf(BigInt(match[1]))) {
      factors.set(prime, (factors.get(prime) ?? 0) + power * Number(match[2] ?? 1));
    }
  }
  return factors;
}

/** The factors of one number, as the oracle writes them. */
function written(factors) {
  return [...factors].sort(([one], [other]) => ascending(one, other))
    .map(([prime, power]) => (power > 1 ? `${prime}^${power}` : prime)).join("*") || "1";
}

function factorsOf(number) {
  const found = new Map();
  for (let prime = 2n; prime * prime <= number && prime < 100000n; prime += 1n) {
    while (number % prime === 0n) {
      found.set(prime, (found.get(prime) ?? 0) + 1);
      number /= prime;
    }
  }
  if (number > 1n) found.set(number, (found.get(number) ?? 0) + 1);
  return found;
}

/** The divisors of any of some numbers, each with its exponents. */
function divisorsOf(ideals) {
  const found = new Map();
  for (const factors of ideals) {
    let some = [{ value: 1n, powers: new Map() }];
    for (const [prime, power] of factors) {
      some = some.flatMap(({ value, powers }) => {
        const more = [];
        for (let times = 0, next = value; times <= power; times += 1, next *= prime) {
          more.push({ value: next, powers: new Map(powers).set(prime, times) });
        }
        return more;
      });
      if (some.length > MOST_NUMBERS) throw new UnreadText("too many divisors to show");
    }
    for (const each of some) found.set(each.value, each);
  }
  if (found.size > MOST_NUMBERS) throw new UnreadText("too many divisors to show");
  return [...found.values()].sort((one, other) => ascending(one.value, other.value));
}

function ascending(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
