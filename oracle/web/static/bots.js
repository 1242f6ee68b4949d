// Opponents. Perfect play asks the oracle for the best move; the other levels play without it.

import { movesOf } from "./moves.js";
import { analyse, bestMove, listedMoves } from "./oracle.js";
import { readPosition } from "./rules/position.js";

export const LEVELS = ["easy", "medium", "hard", "perfect", "stubborn", "greedy", "random"];

/** The share of random moves of a level. */
const ERRS = { easy: 0.5, medium: 0.2, hard: 0.05 };

/** Most moves that a stubborn bot weighs, and the number of them at a time. */
const MOST_WEIGHED = 64;
const AT_ONCE = 8;

/** A bot's move: {action, child, component, isPass}. `random` gives numbers below 1. */
export async function choose(level, position, { random = Math.random, signal } = {}) {
  const errs = ERRS[level] !== undefined && random() < ERRS[level];
  const chosen = level === "greedy" ? greedy(largeMoves(position) ?? await listOf(position, signal))
    : level === "random" || errs ? atRandom(await listOf(position, signal), random)
      : level === "stubborn" && await hardest(position, signal);
  return chosen || bestMove(position, { signal });
}

/** If every move loses, the move after which the smallest share of replies wins; null otherwise. */
async function hardest(position, signal) {
  const analysis = await analyse(position, { signal });
  if (analysis.outcome !== "P") return null;
  const moves = movesOf(position, analysis).slice(0, MOST_WEIGHED);
  const eases = [];
  for (let at = 0; at < moves.length; at += AT_ONCE) {
    eases.push(...await Promise.all(moves.slice(at, at + AT_ONCE).map((move) => easeAfter(move, signal))));
  }
  const order = moves.map((move, at) => [move, ...eases[at]]);
  const [[hardestMove] = [null]] = order.sort(([, part, plies], [, other, longer]) => part - other || longer - plies);
  return hardestMove;
}

/** [share of replies that win, plies to the end] after a move. A move that ends the game is the easiest. */
async function easeAfter({ child }, signal) {
  const { moves, wins, complete, values } = await analyse(readPosition(child), { signal, all: true });
  if (complete && !moves.length) return [Infinity, 0];
  return complete && wins ? [wins.length / moves.length, Number(values.remoteness ?? 0)] : [1, 0];
}

/** Moves in the order of the rules; of very many, some. Of endless boards that are not drawn there may be none. */
async function listOf(position, signal) {
  return position.local ? movesOf(position) : inOrder(await listedMoves(position, { signal }));
}

/** The moves of an endless board that leave the least or take the least; null for other positions. */
function largeMoves(position) {
  return position.large?.map((action) => ({ action, child: position.after(action), isPass: false })).filter(({ child }) => child !== null);
}

const atRandom = (moves, random) => moves[Math.floor(random() * moves.length)];

/** The move that takes the most, the first of them in the order of the rules; it loses at once only if every move does. */
function greedy(moves) {
  if (!moves.length) return null;
  const going = moves.filter((move) => !losesAtOnce(move));
  const kept = going.length ? going : moves;
  const regular = kept.filter((move) => !move.isPass);
  const left = (move) => readPosition(move.child).size ?? move.child.length;
  return (regular.length ? regular : kept).reduce((best, move) => (left(move) < left(best) ? move : best));
}

function losesAtOnce({ child, outcome, values }) {
  return readPosition(child).moverWon === true || (outcome === "N" && Number(values.remoteness) === 0);
}

/** Moves of the oracle, which lists the best first, in the order of the rules. */
function inOrder(moves) {
  const places = new Map(moves.map((move) => [move, placeOf(move)]));
  return [...moves].sort((one, other) => compare(places.get(one), places.get(other)));
}

/** Numbers that are compared one after another: few heaps before many, more tokens before fewer, few parts before many. */
function placeOf({ action, component = 0 }) {
  const { bite, taking, cell = 0, divisor = 0 } = action ?? {};
  const heaps = taking?.heaps ?? [];
  const left = heaps.flatMap((each) => each.left ?? []);
  return [component, Number(divisor), cell, bite?.row ?? 0, bite?.column ?? 0, heaps.length, ...heaps.map(({ heap }) => heap),
    ...heaps.map(({ tokens }) => -tokens), left.length, ...left];
}

function compare(one, other) {
  const at = one.findIndex((each, index) => each !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}
