// The moves of a position: by the page's own rules, or as the oracle lists them.

import { analyse } from "./oracle.js";
import { keyOf, readPosition } from "./rules/position.js";

/** Most moves that are gone through one by one. */
export const MOST_MOVES = 10_000;

/** Whether moves can be made without asking the oracle. */
export function isLocal(position) {
  return position.local !== false;
}

/** The child that an action leads to; null where it is no move. `analysis` for games not local. */
export function childOf(position, action, component, analysis) {
  if (isLocal(position)) return position.after(action, component);
  if (position.after) {
    const child = position.after(action, component);
    return analysis?.moves.some((move) => move.child === child) ? child : null;
  }
  const key = keyOf(action, component);
  return listed(position, analysis)
    .find((move) => move.action && keyOf(move.action, move.component) === key)?.child ?? null;
}

/** All moves in the order of the rules, or some where they are many; of the oracle's list, best first. */
export function movesOf(position, analysis) {
  if (!isLocal(position)) return listed(position, analysis);
  const tooMany = position.count > MOST_MOVES && position.someMoves;
  return [...(tooMany ? position.someMoves() : position.moves())];
}

function listed(position, analysis) {
  return (analysis?.moves ?? []).map((move) => withAction(position, move));
}

/** A move of the oracle with its action, worked out where the oracle does not say it. */
export function withAction(position, move) {
  if (move.action) return move;
  if (move.isPass) return { ...move, action: { pass: {} } };
  if (position.actionOf) return { ...move, action: position.actionOf(move.child, readPosition) };
  if (position.count > MOST_MOVES || !position.moves) return { ...move, action: null };
  const same = actionsOf(position).get(move.child);
  return same ? { ...move, action: same.action, component: same.component } : { ...move, action: null };
}

let lastActions = { text: null, byChild: null };

function actionsOf(position) {
  if (lastActions.text !== position.text) {
    const byChild = new Map();
    for (const move of position.moves()) if (!byChild.has(move.child)) byChild.set(move.child, move);
    lastActions = { text: position.text, byChild };
  }
  return lastActions.byChild;
}

/** Who has won if nobody can move: true the player to move, false the other, null nobody yet. */
export async function moverWon(position, options) {
  if (isLocal(position)) return position.moverWon;
  if (position.kind === "divisors" && position.moverWon !== null) return position.moverWon;
  const analysis = await analyse(position, options);
  return analysis.moves.length || !analysis.complete ? null : analysis.outcome === "N";
}

/** A position after a move, or null where a text is no move of it. */
export async function afterMove(position, move, options) {
  const passed = move === "pass";
  const wanted = passed ? null : squeezed(move);
  const moves = isLocal(position) && position.count <= MOST_MOVES * 30 ? position.moves() : movesOf(position, await analyse(position, options));
  for (const each of moves) {
    if (passed ? each.isPass : squeezed(each.child) === wanted) return each;
  }
  return null;
}

function squeezed(text) {
  return text.replace(/\s+/g, "");
}
