// Chomp by row lengths, the poison row first: `chomp:9/7/4`, and three rows as `chomp3:[4,3,2]`.

import { UnreadText, prefix, readBracket, readNumbers, writeBracket } from "./text.js";

/** Read a board. In a sum of normal play the poison cannot be eaten (`spared`). */
export function readBoard({ family, options, body, passes }, spared = false) {
  const three = family === "chomp3";
  const rows = three ? rowsOfThree(readBracket(body)) : readNumbers(body, "/");
  while (rows.length && rows.at(-1) === 0) rows.pop();
  if (rows.some((length, row) => row && length > rows[row - 1])) throw new UnreadText(body);
  const game = prefix(family, options);
  return board({ game, three, misere: options.has("misere"), rows, passes, spared });
}

function rowsOfThree([x, y, z, ...more]) {
  if (z === undefined || more.length || !Number.isSafeInteger(x + y + z)) {
    throw new UnreadText("chomp3");
  }
  return [x + y + z, x + y, x];
}

function board(state) {
  const { game, three, misere, rows, passes, spared } = state;
  const text = `${game}:${three ? bodyOfThree(rows, passes) : bodyOf(rows, passes)}`;
  const onlyPoison = rows.length === 1 && rows[0] === 1;
  const isEnd = misere ? rows.length === 0 : onlyPoison || rows.length === 0;
  const bites = (rows, row, column) =>
    rows.map((length, at) => (at < row - 1 ? length : Math.min(length, column - 1)));
  const has = (row, column) => row >= 1 && column >= 1 && column <= (rows[row - 1] ?? 0);
  const edible = (row, column) => has(row, column) && !(spared && row === 1 && column === 1);

  function after(action) {
    if (action.pass) return passes && !isEnd ? board({ ...state, passes: passes - 1 }).text : null;
    if (!action.bite || !edible(action.bite.row, action.bite.column)) return null;
    const left = bites(rows, action.bite.row, action.bite.column).filter((length) => length);
    return board({ ...state, rows: left }).text;
  }

  function* moves() {
    for (let row = 1; row <= rows.length; row += 1) {
      for (let column = 1; column <= rows[row - 1]; column += 1) {
        const action = { bite: { row, column } };
        if (edible(row, column)) yield { action, child: after(action), isPass: false };
      }
    }
    if (passes && !isEnd) yield { action: { pass: {} }, child: after({ pass: {} }), isPass: true };
  }

  return {
    kind: "board", text, game, rows, passes, spared, misere, has, after, moves,
    count: cookies(rows) - (spared && rows.length ? 1 : 0) + (passes && !isEnd ? 1 : 0),
    size: cookies(rows),
    moverWon: rows.length === 0 ? !misere : spared && onlyPoison ? false : null,
    /** The same game on other rows. */
    reshaped: (other, left = passes) => board({ ...state, rows: other, passes: left }).text,
  };
}

function cookies(rows) {
  return rows.reduce((sum, length) => sum + length, 0);
}

function bodyOf(rows, passes) {
  return (rows.join("/") || "0") + (passes ? `;${passes}` : "");
}

function bodyOfThree([a = 0, b = 0, c = 0], passes) {
  return writeBracket([c, b - c, a - b], passes);
}
