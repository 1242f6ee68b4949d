// Toads and Frogs on a strip, either player moving any animal: `toads:TT.FF`.

import { UnreadText, prefix } from "./text.js";

export function readStrip({ options, body, passes }) {
  if (!/^[TF.]{1,64}$/.test(body)) throw new UnreadText(body);
  return strip({ game: prefix("toads", options), cells: body, passes, misere: options.has("misere") });
}

function strip(state) {
  const { game, cells, passes, misere } = state;
  const text = `${game}:${cells}${passes ? `;${passes}` : ""}`;
  const movable = [...cells].map((_, at) => targetOf(cells, at));
  const isOver = movable.every((target) => target === null);

  function after(action) {
    if (action.pass) return passes && !isOver ? strip({ ...state, passes: passes - 1 }).text : null;
    const at = (action.cell ?? 0) - 1;
    const to = movable[at] ?? null;
    if (to === null) return null;
    const next = [...cells];
    [next[at], next[to]] = [next[to], next[at]];
    return strip({ ...state, cells: next.join("") }).text;
  }

  function* moves() {
    for (let at = 0; at < cells.length; at += 1) {
      const action = { cell: at + 1, to: movable[at] + 1, animal: cells[at] };
      if (movable[at] !== null) yield { action, child: after(action), isPass: false };
    }
    if (passes && !isOver) yield { action: { pass: {} }, child: after({ pass: {} }), isPass: true };
  }

  return {
    kind: "strip", text, game, cells, passes, misere, after, moves,
    targetOf: (cell) => (movable[cell - 1] === null ? null : movable[cell - 1] + 1),
    count: movable.filter((to) => to !== null).length + (passes && !isOver ? 1 : 0),
    size: movable.filter((to) => to !== null).length,
    moverWon: isOver ? misere : null,
    reshaped: (other) => strip({ ...state, cells: other }).text,
  };
}

/** Where the animal in a cell goes, from 0; null where it cannot move. */
function targetOf(cells, at) {
  const animal = cells[at];
  if (animal === ".") return null;
  const step = animal === "T" ? 1 : -1;
  if (cells[at + step] === ".") return at + step;
  const other = animal === "T" ? "F" : "T";
  return cells[at + step] === other && cells[at + 2 * step] === "." ? at + 2 * step : null;
}
