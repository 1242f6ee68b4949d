// Toads and Frogs on a strip, either player moving any animal: `toads:TT.FF`.

import { withPasses } from "./passes.js";
import { UnreadText, prefix, withCount } from "./text.js";

export function readStrip({ options, body, passes }) {
  if (!/^[TF.]{1,64}$/.test(body)) throw new UnreadText(body);
  return strip({ game: prefix("toads", options), cells: body, passes, misere: options.has("misere") });
}

function strip({ game, cells, passes, misere }) {
  const write = (next, left = passes) => withCount(`${game}:${next}`, left);
  const targets = [...cells].map((_, at) => targetOf(cells, at));
  const movable = targets.filter((to) => to !== null).length;

  function after({ cell = 0 }) {
    const to = targets[cell - 1] ?? null;
    if (to === null) return null;
    const next = [...cells];
    [next[cell - 1], next[to]] = [next[to], next[cell - 1]];
    return write(next.join(""));
  }

  return withPasses({
    kind: "strip", game, cells, passes, misere, after, isOver: !movable, write: (left) => write(cells, left),
    *moves() {
      for (const [at, to] of targets.entries()) {
        const action = { cell: at + 1, to: to + 1, animal: cells[at] };
        if (to !== null) yield { action, child: after(action), isPass: false };
      }
    },
    targetOf: (cell) => (targets[cell - 1] === null ? null : targets[cell - 1] + 1),
    count: movable, size: movable, moverWon: movable ? null : misere,
    reshaped: (other) => write(other),
  });
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
