// Sheets of one x: the losers L_x and the instant winners W_x, asked in windows, and as pictures.

import { ask, bytesOf } from "./oracle.js";

/** Most y of one question about losers that every oracle answers, and most cells of a window. */
const LOSERS_AT_ONCE = 65_536;
const CELLS_AT_ONCE = 1 << 22;
export const MOST_LOSERS = 32 * LOSERS_AT_ONCE;
export const MOST_CELLS = 6 * CELLS_AT_ONCE;
const QUESTIONS_AT_ONCE = 6;

/** Where instant winners come from, the first that applies: [bit, name]. */
export const ORIGINS = [[16, "rectangle"], [32, "heaps"], [1, "lower"], [2, "upper"], [64, "line"],
  [4, "flat"], [8, "diagonal"]];
export const LINES = ["lower", "upper", "flat", "axis"];

/** z of the P-position at each y of a window, -1 where there is none: Int32Array. */
export async function losers(game, x, firstY, sizeY, options) {
  const parts = [];
  for (let at = 0; at < sizeY; at += LOSERS_AT_ONCE) {
    parts.push({ firstY: String(firstY + at), sizeY: Math.min(LOSERS_AT_ONCE, sizeY - at) });
  }
  const found = await inTurn(parts, (part) =>
    ask("GetLosers", { game: { text: game }, x: String(x), ...part }, options));
  const all = new Int32Array(sizeY).fill(-1);
  found.forEach((answer, at) => all.set(new Int32Array(bytesOf(answer.z).buffer), at * LOSERS_AT_ONCE));
  return all;
}

/** Evenly spaced parts of a window, at most `most` of them, each of `size` columns: [firstY, ...]. */
export function samples({ firstY, sizeY }, most, size) {
  const step = Math.max(size, Math.ceil(sizeY / most));
  return Array.from({ length: Math.ceil(sizeY / step) }, (_, at) => firstY + at * step);
}

/** The losers of some parts of a window, as [firstY, z at each y] pairs. */
export function sampledLosers(game, x, firsts, size, options) {
  return inTurn(firsts, async (first) => [first, await losers(game, x, first, size, options)]);
}

/** The instant winners of single columns of a window, as [y, origins by z] pairs. */
export function sampledWinners(game, x, columns, { firstZ, sizeZ }, options) {
  return inTurn(columns, async (y) =>
    [y, await winners(game, x, { firstY: y, sizeY: 1, firstZ, sizeZ }, options)]);
}

/** Origins of the cells of a window, those of the smallest y first, by z: Uint8Array. */
export async function winners(game, x, window, options) {
  const { firstY, firstZ, sizeY, sizeZ } = window;
  const step = Math.max(1, Math.floor(CELLS_AT_ONCE / sizeZ));
  const parts = [];
  for (let at = 0; at < sizeY; at += step) {
    parts.push({ firstY: String(firstY + at), sizeY: Math.min(step, sizeY - at), firstZ: String(firstZ), sizeZ });
  }
  const found = await inTurn(parts, (part) =>
    ask("GetInstantWinners", { game: { text: game }, x: String(x), ...part }, options));
  const all = new Uint8Array(sizeY * sizeZ);
  found.forEach((answer, at) => all.set(bytesOf(answer.origins), at * step * sizeZ));
  return all;
}

async function inTurn(parts, question) {
  const answers = [];
  for (let at = 0; at < parts.length; at += QUESTIONS_AT_ONCE) {
    answers.push(...await Promise.all(parts.slice(at, at + QUESTIONS_AT_ONCE).map(question)));
  }
  return answers;
}

/**
 * What tells the lines of L_x of three-row Chomp apart (docs/geometry.md): the diagonal's d, where
 * [x, 0, d] is P, and the y at which the lower line ends.
 */
export async function markers(game, x, options) {
  const [d] = await losers(game, x, 0, 1, options);
  const about = Math.floor((Math.SQRT2 - 1) * x);
  const first = Math.max(0, about - 300);
  const found = await losers(game, x, first, 600, options);
  let end = 0;
  found.forEach((z, at) => { if (z >= 0 && first + at + z < d) end = first + at; });
  return { d, end };
}

/** The line that a P-position belongs to, an index of LINES. */
export function lineOf(y, z, { d, end }) {
  if (y === 0) return 3;
  if (y > end) return 2;
  return y + z < d ? 0 : 1;
}

/** The first of ORIGINS that a cell has, plus 1; 0 where it is no instant winner. */
export function originOf(byte) {
  if (!byte) return 0;
  for (let at = 0; at < ORIGINS.length; at += 1) if (byte & ORIGINS[at][0]) return at + 1;
  return 0;
}

/**
 * Ages of the cells of a window of W_x: k where the newest sheet that makes a cell an instant winner
 * is that of x - k; 0 where it is none, or an older one. [x, y, z] has moves to [x-k, y+k, z] and to
 * [x-k, 0, y+z+k].
 */
export async function ages(game, x, window, most, options) {
  const { firstY, firstZ, sizeY, sizeZ } = window;
  const found = new Uint16Array(sizeY * sizeZ);
  const sheets = Array.from({ length: Math.min(most, x) }, (_, at) => at + 1);
  const values = await inTurn(sheets, async (k) => ({
    k, column: await losers(game, x - k, firstY + k, sizeY, options),
    d: (await losers(game, x - k, 0, 1, options))[0],
  }));
  for (const { k, column, d } of values.reverse()) {
    for (let at = 0; at < sizeY; at += 1) {
      const y = firstY + at;
      for (const z of [column[at], d - k - y]) {
        if (z >= firstZ && z < firstZ + sizeZ) found[at * sizeZ + z - firstZ] = k;
      }
    }
  }
  return found;
}

/**
 * A picture of a window: one pixel for each `block` x `block` cells, z upwards. `classes(put)` calls
 * put(y, z, value) for every cell that is not empty, and `colours(value)` is its [r, g, b]. A pixel has
 * the colour of its least value. Where `shaded`, it is the fainter the fewer of its cells are there;
 * each cell stands for those of the next `step` y, and `share` columns of cells are in a pixel.
 */
export function picture(window, block, classes, colours, { shaded = false, step = 1, share = block } = {}) {
  const width = Math.ceil(window.sizeY / block);
  const height = Math.ceil(window.sizeZ / block);
  const best = new Uint16Array(width * height);
  const counts = new Uint32Array(shaded ? width * height : 0);
  classes((y, z, value) => {
    const column = Math.floor((y - window.firstY) / block);
    const row = height - 1 - Math.floor((z - window.firstZ) / block);
    if (column < 0 || row < 0 || row >= height) return;
    const end = Math.max(column + 1, Math.floor((y + step - window.firstY) / block));
    for (let at = row * width + column; at < row * width + Math.min(width, end); at += 1) {
      if (!best[at] || value < best[at]) best[at] = value;
      if (shaded) counts[at] += 1;
    }
  });
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let at = 0; at < best.length; at += 1) {
    if (!best[at]) continue;
    const [red, green, blue] = colours(best[at]);
    pixels.set([red, green, blue, shaded ? 40 + (215 * counts[at]) / (block * share) : 255], 4 * at);
  }
  return { width, height, pixels };
}
