// Windows of sheets as pictures, by the colours that are asked for.

import { LINES, ORIGINS, ages, lineOf, losersOf, markers, originOf, winnersOf } from "./sheets.js";

/** The oldest sheets that ages look back to. */
export const AGES = 48;
/** Most columns, and most cells, that are asked for; columns beyond the tables take the oracle a moment each. */
const MOST_COLUMNS = 1 << 21;
const MOST_SWEPT = 6000;
const MOST_CELLS = 6 << 22;
/** Far away, parts of a sheet stand for all of it: so many, of so many columns each. */
const SAMPLES = 120;
const SAMPLE_SIZE = 24;
const WINNER_SAMPLES = 32;

export const isChomp = (game) => game.startsWith("chomp3");

/** The kinds of cells that a picture tells apart, by name; ages are told apart by two ends. */
export function namesOf({ game, colour }) {
  return { line: isChomp(game) ? LINES : ["heaps"], origin: isChomp(game) ? ORIGINS.map(([, each]) => each).filter((each) => each !== "heaps") : ["heaps"],
    age: ["new", "old"], plain: ["one"] }[colour];
}

/**
 * {made, parts, seen} of a window of L_x: the picture, the z of columns as [first y, z at each y], and how many
 * losers are in sight. `colours(names)` are those of kinds of cells as [r, g, b], `stored` is the last x with a table.
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

/** The same of W_x, whose parts have origins or ages by z; null where there are too many cells in sight. */
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

/** Colours between two, by the logarithm of an age. */
function blended(young, old) {
  return (age) => young.map((each, at) => each + (old[at] - each) * Math.min(1, Math.log(age) / Math.log(AGES)));
}

/**
 * A picture of a window: one pixel for each `block` x `block` cells, z upwards. `classes(put)` calls
 * put(y, z, value) for every cell that is not empty, and `colours(value)` is its [r, g, b]. A pixel has
 * the colour of its least value. Where `shaded`, it is the fainter the fewer of its cells are there;
 * each cell stands for those of the next `step` y, and `share` columns of cells are in a pixel.
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
