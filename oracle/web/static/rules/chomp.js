// Chomp by row lengths, the poison row first: `chomp:9/7/4`, and three rows as `chomp3:[4,3,2]`.

import { withPasses } from "./passes.js";
import { UnreadText, prefix, readBracket, readNumbers, sumOf, withCount, writeBracket } from "./text.js";

/** Read a board. In a sum of normal play the poison cannot be eaten (`spared`). */
export function readBoard({ family, options, body, passes }, spared = false) {
  const three = family === "chomp3";
  const rows = trimmed(three ? rowsOfThree(readBracket(body)) : readNumbers(body, "/"));
  if (rows.some((length, row) => row && length > rows[row - 1])) throw new UnreadText(body);
  return board({ game: prefix(family, options), three, misere: options.has("misere"), rows, passes, spared });
}

function rowsOfThree([x, y, z, ...more]) {
  if (z === undefined || more.length || !Number.isSafeInteger(x + y + z)) throw new UnreadText("chomp3");
  return [x + y + z, x + y, x];
}

function board({ game, three, misere, rows, passes, spared }) {
  const write = (next, left = passes) => `${game}:${three ? bodyOfThree(next, left) : withCount(next.join("/") || "0", left)}`;
  const onlyPoison = rows.length === 1 && rows[0] === 1;
  const size = sumOf(rows);
  const has = (row, column) => row >= 1 && column >= 1 && column <= (rows[row - 1] ?? 0);
  const edible = (row, column) => has(row, column) && !(spared && row === 1 && column === 1);

  function after({ bite }) {
    if (!bite || !edible(bite.row, bite.column)) return null;
    return write(trimmed(rows.map((length, at) => (at < bite.row - 1 ? length : Math.min(length, bite.column - 1)))));
  }

  return withPasses({
    kind: "board", game, rows, passes, spared, misere, has, after, write: (left) => write(rows, left),
    isOver: rows.length === 0 || (!misere && onlyPoison),
    *moves() {
      for (let row = 1; row <= rows.length; row += 1) {
        for (let column = 1; column <= rows[row - 1]; column += 1) {
          const action = { bite: { row, column } };
          if (edible(row, column)) yield { action, child: after(action), isPass: false };
        }
      }
    },
    count: size - (spared && rows.length ? 1 : 0), size,
    moverWon: rows.length === 0 ? !misere : spared && onlyPoison ? false : null,
    /** The same game on other rows. */
    reshaped: (other) => write(other),
  });
}

const trimmed = (rows) => rows.slice(0, rows.findLastIndex((length) => length) + 1);

function bodyOfThree([a = 0, b = 0, c = 0], passes) {
  return writeBracket([c, b - c, a - b], passes);
}
