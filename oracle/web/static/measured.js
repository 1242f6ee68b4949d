// Facts about a sheet as text: its losers as a list, and its measured shape.

import { h } from "./dom.js";
import { ask } from "./oracle.js";
import { losers } from "./sheets.js";
import { t } from "./text.js";
import { served } from "./words.js";
import { createWork } from "./work.js";

const LISTED = 200;

/** A part that loads its text when it is opened. `asks()` gives its content. {element, update()} */
export function createDetails(label, asks) {
  const box = h("div", { class: "tablebox" });
  const work = createWork((error) => box.replaceChildren(h("p", {}, served(error.message))));
  const element = h("details", { class: "values", on: { toggle: () => update() } }, h("summary", {}, label), box);

  function update() {
    if (!element.open) return;
    work.restart(async (signal) => {
      const found = await asks();
      if (!signal.aborted) box.replaceChildren(...found);
    });
  }

  return { element, update };
}

/** The P-positions from some y on, for people who cannot see the sheet. */
export async function listOfLosers(game, x, firstY) {
  const column = await losers(game, x, firstY, LISTED);
  const found = [...column].flatMap((z, at) => (z < 0 ? [] : [`[${x},${firstY + at},${z}]`]));
  return [h("p", {}, found.join("  ") || t("look.noValues"))];
}

/** The answer of GetGeometry for the range of sheets that contains x, or for the last range before. */
export async function shapeOf(game, x) {
  const { shapes = [] } = await ask("GetGeometry", { game: { text: game } });
  const { firstX = 0, lastX = 0, source, measures = [] } = shapes.filter((each) => Number(each.firstX ?? 0) <= x).at(-1) ?? shapes[0];
  const cell = (value) => h("td", { class: "number" }, value === undefined ? "" : String(Number(value.toPrecision(7))));
  return [
    h("p", { class: "quiet" }, t("look.range", { first: Number(firstX), last: Number(lastX), source })),
    h("table", {}, h("thead", {}, h("tr", {}, ["quantity", "value", "error", "expected"].map((each, at) =>
      h("th", { scope: "col", class: at && "number" }, t(`look.${each}`))))),
    h("tbody", {}, measures.map(({ meaning, quantity, value = 0, standardError, expected }) => h("tr", {},
      h("td", { lang: "en" }, meaning || quantity), cell(value), cell(standardError), cell(expected))))),
  ];
}
