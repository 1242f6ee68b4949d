// A position as this page knows it: what to draw, and its moves where the rules are simple enough
// to be known without asking. `local: false` says that the moves must be asked for.

import { readBoard } from "./chomp.js";
import { readDivisors } from "./divisors.js";
import { SHORT, readHeaps } from "./heaps.js";
import { readSum } from "./sum.js";
import { UnreadText, splitPosition, splitSum } from "./text.js";
import { readStrip } from "./toads.js";

const HEAPS = new Set(["nim", "wythoff", "octal", ...Object.keys(SHORT)]);

/** Read a position; one of another kind is `{kind: "text"}`, for the oracle to judge. */
export function readPosition(text) {
  const sum = splitSum(text);
  try {
    return sum ? readSum(sum, readOne) : readOne(text, false);
  } catch (error) {
    if (!(error instanceof UnreadText)) throw error;
    return { kind: "text", text: text.trim(), local: false, passes: 0, moverWon: null };
  }
}

function readOne(text, spared) {
  const parts = splitPosition(text);
  if (parts.family === "chomp" || parts.family === "chomp3") {
    const board = readBoard(parts, spared);
    const variant = parts.options.has("declared") || parts.options.has("noise");
    // In a variant a move may end the game where these rules do not know it.
    return variant ? { ...board, local: false } : board;
  }
  if (HEAPS.has(parts.family)) return readHeaps(parts);
  if (parts.family === "toads") return readStrip(parts);
  if (parts.family === "divisors") return readDivisors(parts);
  throw new UnreadText(text);
}

/** Equal for two actions exactly if they are the same move of a position. */
export function keyOf(action, component) {
  const inside = component === undefined || component === null ? "" : `${component}:`;
  if (action.pass) return `${inside}pass`;
  if (action.bite) return `${inside}bite ${action.bite.row},${action.bite.column}`;
  if (action.cell) return `${inside}cell ${action.cell}`;
  if (action.divisor) return `${inside}name ${action.divisor}`;
  if (action.taking) {
    const heaps = action.taking.heaps.map(({ heap, tokens, left, pass }) =>
      `${heap}-${tokens ?? 0}${left?.length > 1 ? `>${left.join("+")}` : ""}${pass ? "p" : ""}`);
    return `${inside}take ${heaps.join(" ")}`;
  }
  return `${inside}?`;
}
