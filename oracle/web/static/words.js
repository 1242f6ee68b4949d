// Moves in words, and the words of the server.

import { button, h } from "./dom.js";
import { readPosition } from "./rules/position.js";
import { t } from "./text.js";

/** A sentence of the server, which is in English. */
export function served(text) {
  return h("span", {}, h("span", { lang: "en" }, text), t("english.note"));
}

/** A move in words, as a link to the position after it. */
export function moveLink(move, go) {
  return button(wordsOf(move), () => go(move.child), { class: "link", title: move.child });
}

/** The ordinal counted from 1 of one counted from 0. Infinite ordinals stay the same. */
export const fromOne = (text) => (/^\d+$/.test(text) ? String(Number(text) + 1) : text);

/** The place of a cookie by its coordinates from 0. */
export function placeWords(coordinates) {
  const [column, row, ...layers] = coordinates.map(fromOne);
  const key = layers.length ? "place.layer" : row ? "place" : "place.column";
  return t(key, { row, column, layer: layers.join(", ") });
}

/** A move in a person's words, or the position that it leads to if no action is known. */
export function wordsOf({ action, child, component, isPass }) {
  // If the page does not know the game, kinds of actions may have another meaning.
  const isUnknown = action?.words && readPosition(child ?? "").kind === "text";
  const said = isUnknown ? null : isPass && !action?.pass ? t("move.pass") : actionWords(action);
  // The words of the server name the component, too.
  return said === null ? action?.words ?? child ?? "" : ofComponent(component, said);
}

/** A text about a component of a sum, or the same text for a single game. */
export function ofComponent(component, said) {
  return component === undefined || component === null ? said : t("move.component", { number: component + 1, said });
}

function actionWords(action) {
  if (!action) return null;
  if (action.pass) return t("move.pass");
  if (action.bite) return t("move.bite", { place: t("place", action.bite) });
  if (action.divisor) return t("move.name", { divisor: action.powerProduct ?? action.divisor });
  if (action.to) return t(`move.${action.animal}`, { from: action.cell, to: action.to });
  if (action.vertex) return t("move.vertex", { vertex: action.cell });
  if (action.ordinalBite) return t("move.bite", { place: placeWords(action.ordinalBite.coordinates) });
  if (action.taking) return takingWords(action.taking.heaps ?? [], action.words);
  return null;
}

/** Words for a change of heaps; those of the server tell whether the first heap left keeps a pass. */
function takingWords(heaps, english = "") {
  const [{ heap, tokens = 0, left = [], pass }] = heaps;
  if (pass) return t("move.heappass", { heap });
  const same = heaps.every((each) => each.tokens === tokens);
  if (heaps.length > 1 && same) {
    return t("move.takeEach", { tokens, heaps: heaps.map((each) => each.heap).join(t("heaps.and")) });
  }
  if (heaps.length > 1) {
    const [first, ...others] = heaps;
    return [t("move.take", first), ...others.map((each) => t("move.from", each))].join(t("heaps.and"));
  }
  const keepsPass = /\dp\b/.test(english);
  const parts = left.map((size, at) => (keepsPass && !at ? `${size}p` : size)).join(t("heaps.and"));
  if (!Number(tokens)) return t("move.split", { heap, left: parts });
  const taken = t("move.take", { tokens, heap });
  return left.length > 1 ? t("move.leaving", { taken, left: parts }) : taken;
}
