// The common part of the rules of all games that this page knows: text, moves, and passes.

import { withPasses } from "./text.js";

/**
 * A position: {kind, game, passes, misere, text, local, after(action), moves(), moveTo(position), count, size, moverWon, at(value), ...}.
 *
 * The rules of its game give its `value`, `body(value, passes)` as text, the regular `actions(most)`, and
 * `after(action)`: the value after an action, or null if it is no move. `towards(value)` gives the actions that may
 * lead to a value; all actions if they are few. No pass is possible once play `isOver`.
 */
export function byRules({ body, actions, after, towards = () => actions(), isOver, ...rest }) {
  const { game, passes, value } = rest;
  const at = (next, left = passes) => `${game}:${withPasses(body(next, left), left)}`;
  const passed = passes && !isOver ? at(value, passes - 1) : null;

  function childOf(action) {
    if (action.pass) return passed;
    const next = after(action);
    return next === null ? null : at(next);
  }

  const pass = { action: { pass: {} }, child: passed, isPass: true };

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
      if (passed) yield pass;
    },
    /** The move to a position, or the "pass"; null where there is none. */
    moveTo(next) {
      if (passed && (next === "pass" || next.text === passed)) return pass;
      if (!next.local || next.game !== game) return null;
      for (const action of towards(next.value)) {
        const child = childOf(action);
        if (child === next.text) return { action, child, isPass: false };
      }
      return null;
    },
  };
}
