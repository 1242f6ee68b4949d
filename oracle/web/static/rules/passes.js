// Passes, which every family has: as many as are left, and only while play is not over.

/**
 * A position of rules without passes, with them: {kind, game, passes, misere, isOver, write(passes), after(action),
 * moves(), count, size, moverWon, ...}. `write` gives its text with that many passes left.
 */
export function withPasses({ isOver, write, ...rules }) {
  const passed = rules.passes > 0 && !isOver ? write(rules.passes - 1) : null;
  return {
    ...rules, text: write(rules.passes),
    after: (action) => (action.pass ? passed : rules.after(action)),
    *moves() {
      yield* rules.moves();
      if (passed) yield { action: { pass: {} }, child: passed, isPass: true };
    },
    count: rules.count + (passed ? 1 : 0),
  };
}
