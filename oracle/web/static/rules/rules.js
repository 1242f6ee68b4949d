// What the positions of all games whose rules this page knows have in common: text, moves, and passes.

import { withPasses } from "./text.js";

/**
 * A position: {kind, game, passes, misere, text, local, after(action), moves(), count, size, moverWon, at(value), ...}.
 *
 * The rules of its game give its `value`, `body(value, passes)` as text, the regular `actions(most)`, and `after(action)`,
 * the value that an action leads to, or null where it is no move. No pass is made once play `isOver`.
 */
export function byRules({ value, body, actions, after, isOver, ...rest }) {
  const { game, passes } = rest;
  const at = (next, left = passes) => `${game}:${withPasses(body(next, left), left)}`;
  const passed = passes && !isOver ? at(value, passes - 1) : null;

  function childOf(action) {
    if (action.pass) return passed;
    const next = after(action);
    return next === null ? null : at(next);
  }

  return {
    ...rest, text: at(value), local: true, at, after: childOf, count: rest.count + (passed ? 1 : 0),
    /** One move to each position, in the order of the engine; of very large heaps the first `most` ways of taking. */
    *moves(most) {
      const seen = new Set();
      for (const action of actions(most)) {
        const child = childOf(action);
        if (!seen.has(child)) yield { action, child, isPass: false };
        seen.add(child);
      }
      if (passed) yield { action: { pass: {} }, child: passed, isPass: true };
    },
  };
}
