// The chance that the player to move wins if one player or both err: a question and its answer.

import { MODELS, chanceOf, chancesOf, modelText } from "./chance.js";
import { button, field, h, select, settled, tools } from "./dom.js";
import { MOST_MOVES, movesOf } from "./moves.js";
import { t } from "./text.js";
import { served } from "./words.js";

const SLOPPY = "perfect-vs-sloppy";

/** {element, ask(), clear()}. `asked()` gives {position, analysis, work}; `onChances` gets a chance for each move. */
export function createChanceBox({ asked, onChances }) {
  const answer = h("div", { class: "chance", "aria-live": "polite" });
  const model = select(MODELS.map((each) => [each, t(`model.${each}`)]), "perfect-vs-random", () => modelChosen());
  const epsilon = h("input", { type: "number", min: 0.01, max: 1, step: 0.01, value: 0.1, on: { change: () => modelChosen() } });
  const errs = field(t("chance.epsilon"), epsilon, { hidden: true });

  const modelChosen = settled(() => {
    errs.hidden = model.value !== SLOPPY;
    if (answer.childElementCount) ask();
  }, 150);

  async function ask() {
    const { position, analysis, work } = asked();
    if (!analysis) return;
    const wanted = modelText(model.value, epsilon.value);
    answer.replaceChildren(h("p", { class: "quiet" }, t("analyse.asking")));
    await work.run(async (signal) => {
      const found = await chanceOf(position.text, wanted, { signal });
      const moves = position.count <= MOST_MOVES ? movesOf(position, analysis) : analysis.moves;
      const chances = await chancesOf(position, moves, wanted, { signal });
      answer.replaceChildren(...chanceWords(found));
      onChances(chances);
    }, ({ code }) => {
      answer.replaceChildren(h("p", {}, t(code === "unavailable" ? "error.lost" : "chance.unknown")));
      onChances(new Map());
    });
  }

  const element = h("div", {}, field(t("chance.model"), model), errs,
    tools(button(t("chance.ask"), ask)), answer);
  return { element, ask, clear: () => answer.replaceChildren() };
}

function chanceWords({ value, exact, method, errorBound, reason }) {
  if (value === undefined) return [h("p", {}, t("chance.unknown"))];
  const bound = errorBound ? t("chance.bound", { bound: errorBound.toExponential(1) }) : "";
  return [
    h("p", { class: "big" }, `${(100 * value).toFixed(4)} %`),
    h("meter", { min: 0, max: 1, value, "aria-label": t("chance.title") }),
    exact.length && exact.length < 60 ? h("p", {}, t("chance.exactly", { exact })) : "",
    h("p", { class: "quiet" }, `${t(`method.${method}`)}${bound}. `, reason && served(reason)),
  ].filter((each) => each !== "");
}
