// The losers L_x and the instant winners W_x of one x, from the oracle, and the kinds of their cells.

import { ask, bytesOf } from "./oracle.js";

/** Most y of a question about losers, and most cells of one about winners, that every oracle answers. */
const LOSERS_AT_ONCE = 65_536;
const CELLS_AT_ONCE = 1 << 22;
const QUESTIONS_AT_ONCE = 6;

/** The origins of instant winners as [bit, name]; the first that applies counts. */
export const ORIGINS = [[16, "rectangle"], [32, "heaps"], [1, "lower"], [2, "upper"], [64, "line"],
  [4, "flat"], [8, "diagonal"]];
export const LINES = ["lower", "upper", "flat", "axis"];

/** The z of the P-position at each of at most 65,536 y, -1 if there is none: Int32Array. */
export async function losers(game, x, firstY, sizeY) {
  const { z } = await ask("GetLosers", { game: { text: game }, x: String(x), firstY: String(firstY), sizeY });
  return new Int32Array(bytesOf(z).buffer);
}

/** The losers of the columns of a window, `size` of every `step`: [[first y, z at each y], ...]. */
export function losersOf(game, x, window, size = LOSERS_AT_ONCE, step = size) {
  return inTurn(partsOf(window, size, step), async ([firstY, sizeY]) => [firstY, await losers(game, x, firstY, sizeY)]);
}

/** The origins of cells in the columns of a window, by z: [[first y, Uint8Array], ...]. */
export function winnersOf(game, x, window, size = Math.max(1, Math.floor(CELLS_AT_ONCE / window.sizeZ)), step = size) {
  return inTurn(partsOf(window, size, step), async ([firstY, sizeY]) => {
    const { firstZ, sizeZ } = window;
    const asked = { game: { text: game }, x: String(x), firstY: String(firstY), sizeY, firstZ: String(firstZ), sizeZ };
    return [firstY, bytesOf((await ask("GetInstantWinners", asked)).origins)];
  });
}

function partsOf({ firstY, sizeY }, size, step) {
  return Array.from({ length: Math.ceil(sizeY / step) }, (_, at) => [firstY + at * step, Math.min(size, sizeY - at * step)]);
}

async function inTurn(parts, question) {
  const answers = [];
  for (let at = 0; at < parts.length; at += QUESTIONS_AT_ONCE) {
    answers.push(...await Promise.all(parts.slice(at, at + QUESTIONS_AT_ONCE).map(question)));
  }
  return answers;
}

/**
 * The numbers that separate the lines of L_x of three-row Chomp (docs/geometry.md): d of the diagonal, where [x,
 * 0, d] is P, and the y at which the lower line ends.
 */
export async function markers(game, x) {
  const [d] = await losers(game, x, 0, 1);
  const first = Math.max(0, Math.floor((Math.SQRT2 - 1) * x) - 300);
  const found = await losers(game, x, first, 600);
  return { d, end: Math.max(0, first + found.findLastIndex((z, at) => z >= 0 && first + at + z < d)) };
}

/** The line of a P-position, as an index of LINES. */
export function lineOf(y, z, { d, end }) {
  if (y === 0) return 3;
  if (y > end) return 2;
  return y + z < d ? 0 : 1;
}

/** The index in ORIGINS of the first origin of a cell, plus 1; 0 if it is no instant winner. */
export const originOf = (byte) => ORIGINS.findIndex(([bit]) => byte & bit) + 1;

/**
 * Ages of the cells of a window of W_x: k if the newest sheet that makes a cell an instant winner is that of x -
 * k; 0 if there is none, or only older ones. [x, y, z] has moves to [x-k, y+k, z] and to [x-k, 0, y+z+k].
 */
export async function ages(game, x, { firstY, firstZ, sizeY, sizeZ }, most) {
  const found = new Uint16Array(sizeY * sizeZ);
  const oldestFirst = Array.from({ length: Math.min(most, x) }, (_, at) => Math.min(most, x) - at);
  const sheets = await inTurn(oldestFirst, async (k) => [k, await losers(game, x - k, firstY + k, sizeY), await losers(game, x - k, 0, 1)]);
  for (const [k, column, [d]] of sheets) {
    for (let at = 0; at < sizeY; at += 1) {
      for (const z of [column[at], d - k - firstY - at]) {
        if (z >= firstZ && z < firstZ + sizeZ) found[at * sizeZ + z - firstZ] = k;
      }
    }
  }
  return found;
}
