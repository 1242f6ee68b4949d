// The end of a game: the winner and the reason, the deciding move, and the game as a graph.

import { button, h, tools } from "./dom.js";
import { hasOneBot, resultWords, seatName } from "./game.js";
import { verdictWords } from "./judge.js";
import { lossOf, t } from "./text.js";
import { wordsOf } from "./words.js";

const WITH_POISON = ["board", "divisors", "boxes"];

/** Texts about a finished game. `rules` are those of its game; `view(at)` and `explain(at)` open a move. */
export function resultOf(game, rules, { view, explain }) {
  const { moves, judged } = game;
  const { key, at = 0 } = decided(game);
  const { better, wins = 0 } = judged[at] ?? {};
  return [
    h("h2", {}, resultWords(game)), h("p", {}, whyWords(game, rules)),
    key && h("p", {}, t(key, { number: at + 1, n: wins, move: better ? wordsOf(better) : "" })),
    judged.length && judged.length === moves.length ? graph(game, view) : null,
    tools(
      key === "result.mine" ? [button(t("result.show"), () => view(at)), button(t("result.why"), () => explain(at))] : [],
      h("a", { class: "button", href: "#games/" }, t("result.other"))),
  ].filter(Boolean);
}

/** The mistake that decided a game against a bot, and its player: {key, at}. */
function decided(game) {
  const { players, moves, judged, winner } = game;
  const you = players.indexOf("you");
  if (!hasOneBot(game) || judged.length < moves.length) return {};
  const last = (seat) => judged.findLastIndex(({ verdict }, at) => verdict === "mistake" && at % 2 === seat);
  const at = last(1 - winner);
  if (you === winner) return at < 0 ? { key: "result.clean" } : { key: "result.theirs", at };
  return at < 0 ? { key: "result.hopeless" } : { key: "result.mine", at };
}

function whyWords(game, rules) {
  const { position: { kind, misere, size }, players, winner } = game;
  const loser = 1 - winner;
  if (WITH_POISON.includes(kind) && !misere && !size) {
    return t(players[loser] === "you" && hasOneBot(game) ? "result.youPoison" : "result.poison", { player: seatName(game, loser) });
  }
  return rules ? t("result.rule", { rule: lossOf(rules) }) : "";
}

/** A bar for each move: up if you could win after it, down if you could not. */
function graph({ players, moves, judged }, view) {
  const you = Math.max(0, players.indexOf("you"));
  const most = Math.max(1, ...judged.map(({ plies }) => Number(plies ?? 0)));
  const bars = judged.map((judgement, at) => {
    // Where it is not known how long a game lasts, a bar is half as high as the highest.
    const { verdict, plies = at === moves.length - 1 ? 0 : most / 2 } = judgement;
    const side = verdict === "unknown" ? "unknown" : (at % 2 === you) === (verdict === "wins") ? "up" : "down";
    const words = `${at + 1}. ${wordsOf(moves[at])}: ${verdictWords(judgement)}`;
    const bar = button("", () => view(at + 1), { class: `bar ${side} ${verdict === "mistake" ? "error" : ""}`, title: words, "aria-label": words });
    bar.style.setProperty("--tall", `${10 + (26 * Number(plies)) / most}px`);
    return h("li", {}, bar);
  });
  return h("figure", {}, h("figcaption", { class: "quiet" }, t("result.graph")), h("ol", { class: "bars" }, bars));
}
