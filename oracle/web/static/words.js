// Moves and judgements in words.

import { t } from "./text.js";

/** A move as a person says it; by the position it leads to where no action is known. */
export function wordsOf({ action, child, component, isPass }) {
  const said = isPass && !action?.pass ? t("move.pass") : actionWords(action) ?? child ?? "";
  return component === undefined || component === null ? said
    : t("move.component", { number: component + 1, said });
}

function actionWords(action) {
  if (!action) return null;
  if (action.pass) return t("move.pass");
  if (action.bite) return t("move.bite", action.bite);
  if (action.divisor) return t("move.name", { divisor: action.divisor });
  if (action.cell) return t("move.cell", { cell: action.cell });
  if (action.taking) return takingWords(action.taking.heaps ?? []);
  return action.words ?? null;
}

function takingWords(heaps) {
  const [{ heap, tokens = 0, left = [], pass }] = heaps;
  if (pass) return t("move.heappass", { heap });
  if (heaps.length > 1) {
    return t("move.takeEach", { tokens, heaps: heaps.map((each) => each.heap).join(t("heaps.and")) });
  }
  if (!Number(tokens)) return t("move.split", { heap, left: left.join(t("heaps.and")) });
  const taken = t("move.take", { tokens, heap });
  return left.length > 1 ? t("move.leaving", { taken, left: left.join(t("heaps.and")) }) : taken;
}
