// The positions that were shown, as a tree of moves. The person may go back to any of them.

import { button, h } from "./dom.js";
import { t } from "./text.js";
import { wordsOf } from "./words.js";

const MOST = 200;

/** {element, visit(text, analysis)}. A position that no listed move leads to begins a new tree. */
export function createVariations({ go }) {
  const element = h("div", { class: "variations" });
  let root = null;
  let at = null;
  let count = 0;

  function visit(text, analysis) {
    const known = root && find(root, text);
    if (known) at = known;
    else {
      const move = at?.moves.find((each) => each.child === text);
      const node = { text, move, moves: [], next: [] };
      if (move && count < MOST) at.next.push(node);
      else [root, count] = [node, 0];
      at = node;
      count += 1;
    }
    at.moves = [...analysis.moves, ...(analysis.wins ?? [])];
    element.replaceChildren(h("ul", {}, drawn(root)));
  }

  function drawn(node) {
    return h("li", {}, button(node.move ? wordsOf(node.move) : t("variations.start"), () => go(node.text),
      { class: "link", title: node.text, "aria-current": node === at ? "true" : null }),
    node.next.length > 1 ? h("ul", {}, node.next.map(drawn)) : "",
    node.next.length === 1 ? h("ul", { class: "single" }, drawn(node.next[0])) : "");
  }

  return { element, visit };
}

function find(node, text) {
  return node.text === text ? node : node.next.reduce((found, next) => found ?? find(next, text), null);
}
