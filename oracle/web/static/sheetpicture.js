// Windows of sheets as pictures, in the chosen colours.

import { LINES, ORIGINS, ages, lineOf, losersOf, markers, originOf, winnersOf } from "./sheets.js";

/** How many sheets back ages are told. */
export const AGES = 48;
/** Most columns and most cells of one question. Columns beyond the tables take the oracle longer. */
const MOST_COLUMNS = 1 << 21;
const MOST_SWEPT = 6000;
const MOST_CELLS = 6 << 22;
/** Far away, samples stand for the whole sheet: a number of samples, of some columns each. */
const SAMPLES = 120;
const SAMPLE_SIZE = 24;
const WINNER_SAMPLES = 32;

export const isChomp = (game) => game.startsWith("chomp3");

/** The names of the kinds of cells with a colour of their own. Ages are blended between two colours. */
export function namesOf({ game, colour }) {
  return { line: isChomp(game) ? LINES : ["heaps"], origin: isChomp(game) ? ORIGINS.map(([, each]) => each).filter((each) => each !== "heaps") : ["heaps"],
    age: ["new", "old"], plain: ["one"] }[colour];
}

/**
 * A window of L_x as {made, parts, seen}: the picture, the columns as [first y, z at each y], and the number of
 * losers in sight. `colours(names)` gives the colours of kinds of cells as [r, g, b]. `stored` is the last x
 * with a table.
 */
export async function losersPicture({ game, x, colour }, window, block, { colours, stored = Infinity }) {
  const isAll = window.sizeY <= (x <= stored || !isChomp(game) ? MOST_COLUMNS : MOST_SWEPT);
  const parts = await (isAll ? losersOf(game, x, window)
    : losersOf(game, x, window, SAMPLE_SIZE, Math.max(SAMPLE_SIZE, Math.ceil(window.sizeY / SAMPLES))));
  const lines = colour === "line" && isChomp(game) ? await markers(game, x) : null;
  let seen = 0;
  const made = painted(window, block, (put) => parts.forEach(([first, column]) => column.forEach((z, at) => {
    if (z < 0) return;
    seen += 1;
    put(first + at, z, lines ? 1 + lineOf(first + at, z, lines) : 1);
  })), inks(colours(lines ? LINES : isChomp(game) ? ["one"] : ["heaps"])));
  return { made: { ...made, dots: true }, parts, seen };
}

/** A window of W_x in the same form, with parts of origins or ages by z. Null if too many cells are in sight. */
export async function winnersPicture({ game, x, colour }, window, block, { colours }) {
  const isAll = window.sizeY * window.sizeZ <= MOST_CELLS;
  const step = isAll ? 1 : Math.ceil(window.sizeY / WINNER_SAMPLES);
  const byAge = colour === "age";
  if (!isAll && (byAge || Math.ceil(window.sizeY / step) * window.sizeZ > 4 * MOST_CELLS)) return null;
  const parts = byAge ? [[window.firstY, await ages(game, x, window, AGES)]]
    : await (isAll ? winnersOf(game, x, window) : winnersOf(game, x, window, 1, step));
  const valueOf = { age: (cell) => cell, origin: originOf }[colour] ?? (() => 1);
  let seen = 0;
  const made = painted(window, block, (put) => parts.forEach(([first, cells]) => cells.forEach((cell, at) => {
    if (!cell) return;
    seen += 1;
    put(first + Math.floor(at / window.sizeZ), window.firstZ + (at % window.sizeZ), valueOf(cell));
  })), byAge ? blended(...colours(["new", "old"])) : inks(colours(colour === "origin" ? ORIGINS.map(([, each]) => each) : ["one"])),
  { shaded: true, step, share: isAll ? block : 1 });
  return { made, parts, seen };
}

const inks = (list) => (value) => list[value - 1];

/** The colour of an age: between two colours, by its logarithm. */
function blended(young, old) {
  return (age) => young.map((each, at) => each + (old[at] - each) * Math.min(1, Math.log(age) / Math.log(AGES)));
}

/**
 * A picture of a window: one pixel for each `block` x `block` cells, z upwards. `classes(put)` calls put(y, z,
 * value) for every cell that is not empty, and `colours(value)` is its [r, g, b]. A pixel has the colour of its
 * least value. With `shaded`, a pixel with fewer of these cells is fainter. Each cell stands for the next `step`
 * values of y, and a pixel has `share` columns of cells.
 */
export function painted(window, block, classes, colours, { shaded = false, step = 1, share = block } = {}) {
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
  best.forEach((value, at) => {
    if (value) pixels.set([...colours(value), shaded ? 40 + (215 * counts[at]) / (block * share) : 255], 4 * at);
  });
  return { width, height, pixels };
}
