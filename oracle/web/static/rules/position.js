// A position as this page knows it: its drawing, and its moves if the page knows the rules. `local: false` means
// that only the oracle knows the moves.

import { readBoxes } from "./boxes.js";
import { readBoard } from "./chomp.js";
import { readDivisors } from "./divisors.js";
import { readGraph } from "./graph.js";
import { SHORT, readHeaps } from "./heaps.js";
import { readServed } from "./served.js";
import { readSum } from "./sum.js";
import { UnreadText, splitPosition, splitSum } from "./text.js";
import { readStrip } from "./toads.js";

const HEAPS = new Set(["nim", "wythoff", "octal", ...Object.keys(SHORT)]);
const READERS = {
  __proto__: null,
  chomp3: readBoard, toads: readStrip, divisors: readDivisors, transfinite: readBoxes, nodekayles: readGraph,
  chomp: (parts, sum) => (/x/.test(parts.body) ? readBoxes(parts, sum) : readBoard(parts, sum)),
};

/** Read a position. A position of another kind is `{kind: "text"}`, which the oracle checks. */
export function readPosition(text) {
  try {
    const sum = splitSum(text);
    return sum ? readSum(sum, readOne) : readOne(text, "");
  } catch (error) {
    if (!(error instanceof UnreadText)) throw error;
    return { kind: "text", text: text.trim(), local: false, passes: 0, moverWon: null };
  }
}

function readOne(text, sum) {
  const parts = splitPosition(text);
  const reader = READERS[parts.family];
  if (reader) {
    const { body, family, options } = parts;
    const isVariant = options.has("declared") || options.has("noise");
    const isKnown = ([name, value]) => (name === "misere" ? !value : name === "dimensions" && /^\d+$/.test(value) && family === "chomp" && /x/.test(body));
    if (!isVariant && ![...options].every(isKnown)) throw new UnreadText(text);
    const position = reader(parts, sum);
    // In a variant, a move may end the game in ways that these rules do not know.
    return isVariant ? { ...position, local: false } : position;
  }
  if (HEAPS.has(parts.family)) {
    try {
      return readHeaps(parts);
    } catch (error) {
      if (!(error instanceof UnreadText)) throw error;
    }
  }
  return readServed(parts);
}

/** Equal for two actions exactly if they are the same move of a position. */
export function keyOf({ pass, bite, taking, cell, divisor, ordinalBite }, component) {
  const heaps = taking?.heaps.map(({ heap, tokens = 0, left = [], pass: own = false }) =>
    [heap, tokens, left.length > 1 ? [...left].sort((one, other) => one - other) : [], own]);
  return JSON.stringify([component, pass, bite?.row, bite?.column, heaps, cell, divisor, ordinalBite?.coordinates]);
}
