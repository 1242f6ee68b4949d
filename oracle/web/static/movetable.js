// All moves of a position, best first, as a table.

import { button, h } from "./dom.js";
import { chip, kindOf } from "./marks.js";
import { t } from "./text.js";
import { moveLink } from "./words.js";

const AT_ONCE = 40;
const COLUMNS = [["moves.move"], ["moves.outcome"], ["moves.grundy", "grundy"], ["moves.remoteness", "remoteness"], ["moves.chance", "chance"]];

/** {element, show(analysis, chances)}. `go(text)` opens a position. */
export function createMoveTable({ go }) {
  const element = h("div", { class: "tablebox", tabindex: 0, role: "region", "aria-label": t("moves.label") });
  let shown = null;
  let listed = AT_ONCE;

  function draw(analysis, chances) {
    const { moves, complete } = analysis;
    const valueOf = (move, key) => (key === "chance" ? exactly(chances?.get(move.child)) : move.values[key] ?? "");
    const columns = COLUMNS.filter(([, key]) => !key || moves.some((move) => valueOf(move, key) !== ""));
    const cells = (move) => columns.map(([name, key]) => (key ? h("td", { class: "number" }, valueOf(move, key))
      : name === "moves.move" ? h("td", {}, moveLink(move, go)) : outcomeCell(move)));
    element.replaceChildren(
      h("table", {}, h("thead", {}, h("tr", {}, columns.map(([name, key]) => h("th", { scope: "col", class: key && "number" }, t(name))))),
        h("tbody", {}, moves.slice(0, listed).map((move) => h("tr", {}, cells(move))))),
      h("p", { class: "quiet" }, t(complete ? "moves.shown" : "moves.partly", { n: Math.min(listed, moves.length), all: moves.length })),
      moves.length > listed ? button(t("moves.more"), () => { listed *= 4; draw(analysis, chances); }) : "");
  }

  return {
    element,
    show(analysis, chances) {
      if (analysis.text !== shown) listed = AT_ONCE;
      shown = analysis.text;
      if (analysis.moves.length) draw(analysis, chances);
      else element.replaceChildren(h("p", { class: "quiet" }, t("moves.none")));
    },
  };
}

function outcomeCell(move) {
  const kind = kindOf(move.outcome);
  return h("td", { class: kind }, chip(kind), ` ${t(`mark.short.${kind}`)}`);
}

/** A probability with more digits than fit in a cell of a board. */
function exactly(chance) {
  if (chance === undefined || Number.isNaN(chance)) return "";
  const text = (100 * chance).toFixed(3);
  return text === "100.000" && chance < 1 ? "> 99.999 %" : `${text} %`;
}
