// Opponents, from one that moves at random to one that never errs. They are those of `oracle play`.

import { MOST_MOVES, isLocal, movesOf, withAction } from "./moves.js";
import { ask, analyse, outcomeOf, readMove } from "./oracle.js";
import { readPosition } from "./rules/position.js";

export const LEVELS = ["random", "greedy", "sloppy", "perfect", "hurried", "stubborn"];

/** Most moves that a stubborn player weighs. */
const MOST_TRIED = 64;

/** How often a sloppy player errs, of itself. */
export const SLOPPY = 0.1;

/** A bot's move: {action, child, component, isPass}. `random` gives numbers below 1. */
export async function choose(level, position, { random = Math.random, epsilon = SLOPPY, signal } = {}) {
  const how = { signal };
  if (level === "sloppy") {
    level = random() < epsilon ? "random" : "hurried";
  }
  if (level === "random") return atRandom(position, random, how);
  if (level === "greedy") return greedy(position, how);
  if (level === "perfect") return perfect(position, how);
  if (level === "stubborn") return stubborn(position, how);
  return hurried(position, how);
}

async function listOf(position, how) {
  return movesOf(position, isLocal(position) ? null : await analyse(position, how));
}

async function atRandom(position, random, how) {
  if (position.kind === "board" && isLocal(position)) return cookieAt(position, random);
  const moves = await listOf(position, how);
  return moves[Math.floor(random() * moves.length)];
}

/** A cookie, or the pass, each with equal probability, without a list of them. */
function cookieAt(position, random) {
  let at = Math.floor(random() * position.count);
  for (const [index, length] of position.rows.entries()) {
    if (at < length) return made(position, { bite: { row: index + 1, column: at + 1 } });
    at -= length;
  }
  return made(position, { pass: {} });
}

function made(position, action) {
  return { action, child: position.after(action), isPass: Boolean(action.pass) };
}

/** Takes as much as it can without losing at once. */
async function greedy(position, how) {
  if (position.kind === "board" && isLocal(position)) {
    const bites = [[1, 2], [2, 1]].filter(([row, column]) => position.has(row, column))
      .map(([row, column]) => made(position, { bite: { row, column } }));
    return smallest(bites.length ? bites : [made(position, { bite: { row: 1, column: 1 } })]);
  }
  const moves = goingOn(await listOf(position, how));
  const regular = moves.filter((move) => !move.isPass);
  return smallest(regular.length ? regular : moves);
}

function smallest(moves) {
  const sizes = moves.map((move) => readPosition(move.child).size ?? move.child.length);
  return moves[sizes.indexOf(Math.min(...sizes))];
}

/** The first winning move; else one that is not known to lose; where all do, one that takes little. */
async function perfect(position, how) {
  const found = await ask("ListWinningMoves", { position: { text: position.text } }, how);
  const [win] = found.winningMoves?.moves ?? [];
  if (win) {
    return withAction(position, readMove(win));
  }
  const open = outcomeOf(found.answer?.outcome) === "P" ? null : await notKnownToLose(position, how);
  if (open) return open;
  if (position.kind === "board" && isLocal(position)) {
    return made(position, { bite: { row: position.rows.length, column: position.rows.at(-1) } });
  }
  const moves = goingOn(await listOf(position, how));
  const regular = moves.filter((move) => !move.isPass);
  return isLocal(position) ? regular.at(-1) ?? moves[0] : largest(regular) ?? moves[0];
}

/** By an analysis: a move that wins, else the one that takes the least of those not known to lose. */
async function notKnownToLose(position, how) {
  const { moves } = await analyse(position, how);
  if (moves[0]?.outcome === "P") return withAction(position, moves[0]);
  const open = moves.filter((move) => move.outcome === "?");
  const move = largest(open.filter((one) => !one.isPass)) ?? open[0];
  return move ? withAction(position, move) : null;
}

/** Moves that do not lose at once; all where all do. */
function goingOn(moves) {
  const kept = moves.filter((move) => readPosition(move.child).moverWon !== true);
  return kept.length ? kept : moves;
}

function largest(moves) {
  const sizes = moves.map((move) => readPosition(move.child).size ?? move.child.length);
  return moves[sizes.indexOf(Math.max(...sizes))];
}

/** Wins as fast, and loses as late, as it can, where remoteness is known. */
async function hurried(position, how) {
  if (position.count > MOST_MOVES) return perfect(position, how);
  const analysis = await analyse(position, how);
  const known = analysis.complete && analysis.values.remoteness !== undefined;
  if (!known || !analysis.moves.length) return perfect(position, how);
  return withAction(position, analysis.moves[0]);
}

/** Wins where it can; else leaves the position in which the fewest replies win, of all replies. */
async function stubborn(position, how) {
  const { outcome } = await analyse(position, how);
  const moves = outcome === "P" ? spread(await listOf(position, how), MOST_TRIED) : [];
  if (!moves.length) return perfect(position, how);
  const eases = await Promise.all(moves.map((move) => easeOf(readPosition(move.child), how)));
  const easier = (one, other) => eases[one][0] - eases[other][0] || eases[one][1] - eases[other][1];
  return moves[[...moves.keys()].sort(easier)[0]];
}

/** The part of the replies that win, and minus the plies that are left. */
async function easeOf(position, how) {
  if (position.moverWon !== null) return [Infinity, 0];  // it loses at once
  const { complete, moves, wins, values } = await analyse(position, how);
  if (!complete || !moves.length || !wins) return [1, 0];
  return [wins.length / moves.length, -Number(values.remoteness ?? 0)];
}

/** Up to so many of a list, evenly. */
function spread(list, most) {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(most, list.length) }, (_, at) => list[Math.floor(at * step)]);
}
