// The moves of a position, from the page's own rules or from the oracle's list.

import { analyse } from "./oracle.js";
import { keyOf, readPosition } from "./rules/position.js";

/** Most moves that are checked one by one. */
export const MOST_MOVES = 10_000;
/** Most ways of taking from one heap if there are more moves than that. */
const MOST_OF_HEAP = 500;

/** The child that an action leads to, or null if it is no move. Games that are not local need `analysis`. */
export function childOf(position, action, component, analysis) {
  if (!action) return null;
  const child = position.after?.(action, component) ?? null;
  if (position.local) return child;
  const listed = analysis?.moves ?? [];
  if (child !== null) return listed.some((move) => move.child === child) ? child : null;
  const keys = alike(position, action, component).map((each) => keyOf(each, component));
  return listed.find((move) => move.action && keys.includes(keyOf(move.action, move.component)))?.child ?? null;
}

/** An action and its equivalents at equal heaps, of which the oracle lists the first. */
function alike(position, action, component) {
  const { heaps, sorted, ownPasses } = position.components?.[component] ?? position;
  const [change, ...more] = action.taking?.heaps ?? [];
  if (!sorted || !change || more.length) return [action];
  const equal = (at) => heaps[at] === heaps[change.heap - 1] && ownPasses[at] === ownPasses[change.heap - 1];
  return heaps.flatMap((_, at) => (equal(at) ? [{ taking: { heaps: [{ ...change, heap: at + 1 }] } }] : []));
}

/** The moves in the order of the rules, at most 10,000; from the oracle's list, best first. */
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

/** The winner if play has ended: true for the player to move, false for the other, null if it goes on. */
export function moverWon(position, analysis) {
  if (position.local || position.moverWon !== null) return position.moverWon;
  return !analysis || analysis.moves.length || !analysis.complete ? null : analysis.outcome === "N";
}

/** The position after a move, or null if the text is no move. */
export async function afterMove(position, move, options) {
  const isPass = move === "pass";
  if (position.local) return position.moveTo(isPass ? move : readPosition(move));
  const { moves } = await analyse(position, options);
  return moves.find((each) => (isPass ? each.isPass : squeezed(each.child) === squeezed(move))) ?? null;
}

/** The moves that texts name one after another, up to the first text that is no move: {moves, wrong}. */
export async function movesFrom(start, texts, options) {
  const moves = [];
  for (const move of texts) {
    const before = positionAt(start, moves, moves.length);
    const found = await afterMove(before, move, options);
    if (!found) return { moves, wrong: { move: move.slice(0, 60), before: before.text } };
    moves.push(found);
  }
  return { moves, wrong: null };
}

const squeezed = (text) => text.replace(/\s+/g, "");

/** The position that a record names, as read by the page. */
export function positionAt(start, moves, at) {
  return readPosition(at ? moves[at - 1].child : start);
}
