// Toads and Frogs on a strip, where either player moves any animal: `toads:TT.FF`.

import { byRules } from "./rules.js";
import { UnreadText, prefix } from "./text.js";

export function readStrip({ options, body: cells, passes }) {
  if (!/^[TF.]{1,64}$/.test(cells)) throw new UnreadText(cells);
  const misere = options.has("misere");
  const targets = [...cells].map((_, at) => targetOf(cells, at));
  const movable = targets.filter((to) => to !== null).length;
  return byRules({
    kind: "strip", game: prefix("toads", options), passes, misere, cells, value: cells, body: String, isOver: !movable,
    /** The cell that the animal in a cell moves to, from 1; null if it cannot move. */
    targetOf: (cell) => (targets[cell - 1] === null ? null : targets[cell - 1] + 1),
    *actions() {
      for (const [at, to] of targets.entries()) {
        if (to !== null) yield { cell: at + 1, to: to + 1, animal: cells[at] };
      }
    },
    after({ cell = 0 }) {
      const to = targets[cell - 1] ?? null;
      if (to === null) return null;
      const next = [...cells];
      [next[cell - 1], next[to]] = [next[to], next[cell - 1]];
      return next.join("");
    },
    count: movable, size: movable, moverWon: movable ? null : misere,
  });
}

/** The cell that the animal in a cell moves to, from 0; null if it cannot move. */
function targetOf(cells, at) {
  const animal = cells[at];
  if (animal === ".") return null;
  const step = animal === "T" ? 1 : -1;
  if (cells[at + step] === ".") return at + step;
  const other = animal === "T" ? "F" : "T";
  return cells[at + step] === other && cells[at + 2 * step] === "." ? at + 2 * step : null;
}
