// Schuh's game of divisors: `divisors:2^3*3^2`. The oracle lists the moves, because it knows the canonical
// texts. These rules find the numbers that are left.

import { UnreadText, prefix, sumOf, withPasses } from "./text.js";

const MOST_NUMBERS = 5000;

/**
 * {kind, numbers: [{value, powers}], primes, ...}: the divisors of the given numbers, each with its powers of the
 * primes.
 */
export function readDivisors({ options, body, passes }) {
  const ideals = body === "0" ? [] : body.split(",").map(readFactors);
  const primes = [...new Set(ideals.flatMap((each) => [...each.keys()]))].sort(ascending);
  if (sumOf(ideals.map((each) => [...each.values()].reduce((product, power) => product * (power + 1), 1))) > MOST_NUMBERS) {
    throw new UnreadText("too many divisors to show");
  }
  const found = new Map(ideals.flatMap(divisorsOf).map((each) => [each.value, each]));
  const numbers = [...found.values()].sort((one, other) => ascending(one.value, other.value));
  const misere = options.has("misere");
  const game = prefix("divisors", options);
  return {
    kind: "divisors", game, passes, misere, numbers, primes, local: false,
    text: `${game}:${withPasses(ideals.length === 1 ? written(ideals[0]) : body, passes)}`,
    size: numbers.length, moverWon: numbers.length ? null : !misere,
  };
}

/** The powers of the primes in a number such as 2^3*9. */
function readFactors(text) {
  const factors = new Map();
  for (const part of text.split("*")) {
    const [, base, times = 1] = /^\s*(\d{1,19})(?:\^(\d{1,2}))?\s*$/.exec(part) ?? [];
    if (base === undefined) throw new UnreadText(text);
    let number = BigInt(base);
    const count = (prime) => factors.set(prime, (factors.get(prime) ?? 0) + Number(times));
    for (let prime = 2n; prime * prime <= number && prime < 100000n; prime += 1n) {
      for (; number % prime === 0n; number /= prime) count(prime);
    }
    if (number > 1n) count(number);
  }
  return factors;
}

/** The powers of one number in the oracle's notation. */
function written(factors) {
  return [...factors].sort(([one], [other]) => ascending(one, other))
    .map(([prime, power]) => (power > 1 ? `${prime}^${power}` : prime)).join("*") || "1";
}

function divisorsOf(factors) {
  return [...factors].reduce((some, [prime, most]) => some.flatMap(({ value, powers }) =>
    Array.from({ length: most + 1 }, (_, power) => ({ value: value * prime ** BigInt(power), powers: new Map(powers).set(prime, power) }))),
  [{ value: 1n, powers: new Map() }]);
}

const ascending = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
