// Chomp by row lengths, the poison row first: `chomp:9/7/4`, and three rows as `chomp3:[4,3,2]`.

import { byRules } from "./rules.js";
import { UnreadText, prefix, readBracket, readNumbers, sumOf } from "./text.js";

/** Read a board. In a sum in "normal" play the poison cannot be eaten; in "misere" play it is a cookie as others. */
export function readBoard({ family, options, body, passes }, sum = "") {
  const spared = sum === "normal";
  const isThree = family === "chomp3";
  const rows = trimmed(isThree ? rowsOfThree(readBracket(body)) : readNumbers(body, "/"));
  if (rows.some((length, row) => row && length > rows[row - 1])) throw new UnreadText(body);
  const misere = options.has("misere");
  const isOnlyPoison = rows.length === 1 && rows[0] === 1;
  const size = sumOf(rows);
  const has = (row, column) => row >= 1 && column >= 1 && column <= (rows[row - 1] ?? 0);
  const isEdible = ({ row, column }) => has(row, column) && !(spared && row === 1 && column === 1);
  return byRules({
    kind: "board", game: prefix(family, options), passes, misere, rows, has, value: rows, body: isThree ? bodyOfThree : bodyOf,
    isOver: !rows.length || (!misere && sum !== "misere" && isOnlyPoison),
    *actions() {
      for (let row = 1; row <= rows.length; row += 1) {
        for (let column = 1; column <= rows[row - 1]; column += 1) {
          if (isEdible({ row, column })) yield { bite: { row, column } };
        }
      }
    },
    *towards(next) {
      const row = rows.findIndex((length, at) => length !== (next[at] ?? 0));
      yield { bite: { row: row + 1, column: (next[row] ?? 0) + 1 } };
    },
    after: ({ bite }) => (bite && isEdible(bite) ? bitten(rows, bite) : null),
    count: size - (spared && rows.length ? 1 : 0), size,
    moverWon: !rows.length ? !misere : spared && isOnlyPoison ? false : null,
  });
}

/** The rows after a bite: without the cookie and those above and to its right. */
export function bitten(rows, { row, column }) {
  return trimmed(rows.map((length, at) => (at < row - 1 ? length : Math.min(length, column - 1))));
}

function rowsOfThree([x, y, z, ...more]) {
  if (z === undefined || more.length || !Number.isSafeInteger(x + y + z)) throw new UnreadText("chomp3");
  return [x + y + z, x + y, x];
}

const trimmed = (rows) => rows.slice(0, rows.findLastIndex((length) => length) + 1);
const bodyOf = (rows) => rows.join("/") || "0";
const bodyOfThree = ([a = 0, b = 0, c = 0]) => `[${c},${b - c},${a - b}]`;
