// Help: the terms of the page, one after another; other views link to them.

import { h } from "./dom.js";
import { t } from "./text.js";

const TERMS = ["outcome", "grundy", "remoteness", "certainty", "position", "mistake", "random", "sheet", "winners", "tail", "transfinite"];

/** A term as a link to its explanation, which a pointer also shows. */
export function term(name, label) {
  return h("a", { class: "term", href: `#help/${name}`, title: t(`help.${name}.text`) }, label);
}

export function createHelp() {
  const terms = new Map(TERMS.map((name) => [name, h("section", { class: "card", tabindex: -1 },
    h("h2", {}, t(`help.${name}`)), h("p", {}, t(`help.${name}.text`)))]));
  return {
    element: h("div", { class: "helplist" }, h("p", { class: "quiet" }, t("help.about")), [...terms.values()]),
    open(name) {
      terms.get(name)?.scrollIntoView({ block: "center" });
      terms.get(name)?.focus({ preventScroll: true });
    },
  };
}
