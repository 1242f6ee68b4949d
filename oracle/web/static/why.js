// The reason why a position is won or lost, move by move, in words.

import { h } from "./dom.js";
import { analyse, outcomeOf, readMove, ask } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { t } from "./text.js";
import { moveLink, served } from "./words.js";

const MOST_REPLIES = 24;
const AT_ONCE = 6;

/** The reason for an analysis in words. `go(text)` opens a position. */
export async function whyOf(position, analysis, go, options) {
  const link = (move) => moveLink(move, go);
  if (analysis.outcome === "?") return [h("p", {}, t("why.unknown"))];
  if (!analysis.moves.length && analysis.complete) return [h("p", {}, t("why.over"))];
  if (analysis.outcome === "N") {
    const [best] = analysis.wins ?? [];
    if (!best) return [h("p", {}, t("why.someWins")), h("p", { class: "quiet" }, served(analysis.reason))];
    const after = await analyse(readPosition(best.child), options);
    return [h("p", {}, t("why.make"), " ", link(best), "."), h("p", {}, t("why.leaves")),
      ...await replies(best.child, after, link, options)];
  }
  return [h("p", {}, t("why.lost")), ...await replies(position.text, analysis, link, options)];
}

/** Every move from a lost position, with a reply that wins. */
async function replies(text, { moves, complete, reason, certainty }, link, options) {
  const shown = moves.filter((move) => move.outcome === "N").slice(0, MOST_REPLIES);
  const found = [];
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    found.push(...await Promise.all(shown.slice(at, at + AT_ONCE).map((move) => replyTo(move, options))));
  }
  const rows = shown.map((move, at) => h("li", {}, link(move), " → ", found[at] ? link(found[at]) : t("why.over.short")));
  return [
    shown.length ? h("ul", { class: "replies" }, rows) : complete ? h("p", {}, t("why.noMove")) : "",
    shown.length && (!complete || moves.length > shown.length) ? h("p", { class: "quiet" }, t("why.more")) : "",
    certainty === "THEOREM" ? h("p", { class: "quiet" }, `${t("why.theorem")} `, served(reason)) : "",
  ];
}

async function replyTo(move, options) {
  const { answer, moves: [win] = [] } = await ask("ListWinningMoves", { position: { text: move.child } }, options);
  return win && outcomeOf(answer.outcome) === "N" ? readMove(win) : null;
}
