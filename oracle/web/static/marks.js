// Marks of the oracle on every move, for a surface.

import { h } from "./dom.js";
import { readPosition } from "./rules/position.js";
import { t } from "./text.js";

/** The signs of winning, losing and unknown moves, in addition to their colours. */
export const SYMBOLS = { win: "✓", lose: "×", unknown: "?" };

/** The kind of a move to a position with this outcome. */
export const kindOf = (outcome) => ({ P: "win", N: "lose" })[outcome] ?? "unknown";

/** The sign of a kind. Without a label it stands beside words. */
export function chip(kind, label) {
  return h("span", { class: `chip ${kind}`, ...(label ? { "aria-label": label, role: "img" } : { "aria-hidden": "true" }) }, SYMBOLS[kind]);
}

/**
 * A function from a move to {kind: "win" | "lose" | "unknown", sub, label}, or to null for a move without a
 * mark.
 *
 * `number` is the number in cells: "", "grundy", "remoteness" or "chance". Chances are a map from child to
 * probability. With `onlyWins` losing moves have no mark.
 */
export function marker(analysis, { number = "", chances, onlyWins = false } = {}) {
  const byChild = new Map(analysis.moves.map((move) => [move.child, move]));
  const wins = new Set((analysis.wins ?? []).map((move) => move.child));
  const allKnown = knowsAllWins(analysis);
  return ({ child }) => {
    const move = byChild.get(child);
    const losesAtOnce = readPosition(child).moverWon === true;
    const kind = wins.has(child) ? "win" : allKnown || losesAtOnce ? "lose" : kindOf(move?.outcome);
    if (onlyWins && kind !== "win") return null;
    const value = valueOf(number, child, move, chances);
    return { kind, sub: value, label: [t(`mark.${kind}`), ...described(number, value)].join(", ") };
  };
}

/** Whether every move that is not named as winning loses, even if it is not listed. */
export function knowsAllWins({ outcome, wins, moves }) {
  if (!wins || outcome === "?") return false;
  if (outcome === "P") return true;
  return moves.some((move) => move.outcome === "N") && moves.every((move) => move.outcome !== "?");
}

function valueOf(number, child, move, chances) {
  if (number === "chance") {
    const chance = chances?.get(child);
    return chance === undefined || Number.isNaN(chance) ? undefined : percent(chance);
  }
  const value = number && move?.values[number];
  return value === undefined || value === "" ? undefined : String(value);
}

function described(number, value) {
  return value === undefined ? [] : [t(`mark.${number}`, { value })];
}

/** A probability in few characters. Rounding never turns it into 0 or 1. */
export function percent(chance) {
  const value = 100 * chance;
  if (value === 0 || value === 100 || (value >= 1 && value <= 99)) return `${Math.round(value)}%`;
  if (value > 99.9) return ">99.9";
  return value < 0.1 ? "<0.1" : value.toFixed(1);
}
