// The moves of a position: by the page's own rules, or as the oracle lists them.

import { analyse } from "./oracle.js";
import { keyOf, readPosition } from "./rules/position.js";

/** Most moves that are gone through one by one. */
export const MOST_MOVES = 10_000;
/** Most ways of taking from one heap, where the moves are more than those. */
const MOST_OF_HEAP = 500;

/** The child that an action leads to; null where it is no move. `analysis` for games not local. */
export function childOf(position, action, component, analysis) {
  if (!action) return null;
  const child = position.after?.(action, component) ?? null;
  if (position.local) return child;
  const listed = analysis?.moves ?? [];
  if (child !== null) return listed.some((move) => move.child === child) ? child : null;
  const keys = alike(position, action, component).map((each) => keyOf(each, component));
  return listed.find((move) => move.action && keys.includes(keyOf(move.action, move.component)))?.child ?? null;
}

/** The same action, and those at equal heaps, of which the oracle lists the first. */
function alike(position, action, component) {
  const { heaps, sorted, ownPasses } = position.components?.[component] ?? position;
  const [change, ...more] = action.taking?.heaps ?? [];
  if (!sorted || !change || more.length) return [action];
  const equal = (at) => heaps[at] === heaps[change.heap - 1] && ownPasses[at] === ownPasses[change.heap - 1];
  return heaps.flatMap((_, at) => (equal(at) ? [{ taking: { heaps: [{ ...change, heap: at + 1 }] } }] : []));
}

/** The moves in the order of the rules, at most 10,000; of the oracle's list, best first. */
export function movesOf(position, analysis) {
  if (!position.local) return analysis?.moves ?? [];
  return [...first(MOST_MOVES, position.moves(position.count > MOST_MOVES ? MOST_OF_HEAP : Infinity))];
}

function* first(most, some) {
  for (const each of some) {
    if ((most -= 1) < 0) return;
    yield each;
  }
}

/** Who has won if nobody can move: true the player to move, false the other, null nobody yet. */
export function moverWon(position, analysis) {
  if (position.local || position.moverWon !== null) return position.moverWon;
  return !analysis || analysis.moves.length || !analysis.complete ? null : analysis.outcome === "N";
}

/** A position after a move, or null where a text is no move of it. */
export async function afterMove(position, move, options) {
  const isPass = move === "pass";
  if (position.local) return position.moveTo(isPass ? move : readPosition(move));
  const { moves } = await analyse(position, options);
  return moves.find((each) => (isPass ? each.isPass : squeezed(each.child) === squeezed(move))) ?? null;
}

const squeezed = (text) => text.replace(/\s+/g, "");

/** The position that a record names, read. */
export function positionAt(start, moves, at) {
  return readPosition(at ? moves[at - 1].child : start);
}
