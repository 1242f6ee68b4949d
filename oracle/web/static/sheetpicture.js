// Windows of sheets as pictures, by the colours that are asked for.

import { LINES, MOST_CELLS, MOST_LOSERS, ORIGINS, ages, lineOf, losers, markers, originOf, picture, sampledLosers,
  sampledWinners, samples, winners } from "./sheets.js";

/** The oldest sheets that ages look back to. */
export const AGES = 48;
/** Far away, parts of a sheet stand for all of it: so many, of so many columns each. */
const SAMPLES = 120;
const SAMPLE_SIZE = 24;
const WINNER_SAMPLES = 32;
/** Columns of a sheet beyond the tables that are asked for at once: each takes the oracle a moment. */
const SWEPT_AT_ONCE = 6000;

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
  const parts = await losersIn(game, x, window, x <= stored || !isChomp(game));
  const lines = colour === "line" && isChomp(game) ? await markers(game, x) : null;
  let seen = 0;
  const made = picture(window, block, (put) => parts.forEach(([first, column]) => column.forEach((z, at) => {
    if (z < 0) return;
    seen += 1;
    put(first + at, z, lines ? 1 + lineOf(first + at, z, lines) : 1);
  })), inks(colours(lines ? LINES : isChomp(game) ? ["one"] : ["heaps"])));
  return { made: { ...made, dots: true }, parts, seen };
}

/** All losers of a window; where they are dear or very many, those of columns here and there. */
async function losersIn(game, x, window, isCheap) {
  const { firstY, sizeY } = window;
  if (sizeY <= (isCheap ? MOST_LOSERS : SWEPT_AT_ONCE)) return [[firstY, await losers(game, x, firstY, sizeY)]];
  return sampledLosers(game, x, samples(window, SAMPLES, SAMPLE_SIZE), SAMPLE_SIZE);
}

/** The same of W_x, whose parts have origins or ages by z; null where there are too many cells in sight. */
export async function winnersPicture({ game, x, colour }, window, block, { colours }) {
  const isAll = window.sizeY * window.sizeZ <= MOST_CELLS;
  const columns = isAll ? [] : samples(window, WINNER_SAMPLES, 1);
  const byAge = colour === "age";
  if (!isAll && (byAge || columns.length * window.sizeZ > 4 * MOST_CELLS)) return null;
  const parts = !isAll ? await sampledWinners(game, x, columns, window)
    : [[window.firstY, byAge ? await ages(game, x, window, AGES) : await winners(game, x, window)]];
  const valueOf = { age: (cell) => cell, origin: originOf }[colour] ?? (() => 1);
  let seen = 0;
  const made = picture(window, block, (put) => parts.forEach(([first, cells]) => {
    for (let at = 0; at < cells.length; at += 1) {
      if (!cells[at]) continue;
      seen += 1;
      put(first + Math.floor(at / window.sizeZ), window.firstZ + (at % window.sizeZ), valueOf(cells[at]));
    }
  }), byAge ? blended(...colours(["new", "old"])) : inks(colours(colour === "origin" ? ORIGINS.map(([, each]) => each) : ["one"])),
  { shaded: true, share: isAll ? block : 1, step: isAll ? 1 : columns[1] - columns[0] });
  return { made, parts, seen };
}

const inks = (list) => (value) => list[value - 1];

/** Colours between two, by the logarithm of an age. */
function blended(young, old) {
  return (age) => young.map((each, at) => each + (old[at] - each) * Math.min(1, Math.log(age) / Math.log(AGES)));
}
