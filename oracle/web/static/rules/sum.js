// Sums: a move is a move in one component. `nim:[3,5] + chomp:4/2`, `misere{nim:[3] + chomp:2/1}`.

import { UnreadText, sumOf } from "./text.js";

const MOST_COMPONENTS = 64;

export function readSum({ parts, misere }, readOne) {
  const components = parts.map((part) => readOne(part, misere ? "misere" : "normal"));
  // Endless boards, games with misere play of their own and, in normal play, empty boards cannot be components.
  const isRefused = (part) => part.misere || part.count === Infinity || (!misere && part.moverWon);
  if (parts.length > MOST_COMPONENTS || components.some(isRefused)) throw new UnreadText(parts.join(" + "));
  const write = (texts) => (misere ? `misere{${texts.join(" + ")}}` : texts.join(" + "));
  const texts = components.map((part) => part.text);
  const withChild = (at, child) => write(texts.map((text, other) => (other === at ? child : text)));
  const local = components.every((part) => part.local);
  return {
    kind: "sum", text: write(texts), game: misere ? "sum{misere}" : "sum", components, misere,
    passes: 0, local,
    after(action, component) {
      const child = components[component]?.after?.(action) ?? null;
      return child === null ? null : withChild(component, child);
    },
    *moves(most) {
      for (const [component, part] of components.entries()) {
        for (const move of part.moves(most)) {
          yield { ...move, component, isPass: false, child: withChild(component, move.child) };
        }
      }
    },
    /** The move to another sum with one different component, or null if there is none. */
    moveTo(next) {
      const others = next.components ?? [];
      const at = components.findIndex((part, index) => part.text !== others[index]?.text);
      const move = others.length === components.length ? components[at]?.moveTo(others[at]) : null;
      const child = move && withChild(at, move.child);
      return child === next.text ? { ...move, component: at, isPass: false, child } : null;
    },
    get count() { return sumOf(components.map((part) => part.count)); },
    size: sumOf(components.map((part) => part.size)),
    get moverWon() {
      if (!local) return null;
      return components.every((part) => part.moves().next().done) ? misere : null;
    },
  };
}
