// Refusals of the oracle in words for players, with the things that they can do.

import { button, h } from "./dom.js";
import { language, t } from "./text.js";
import { served } from "./words.js";

const WORDS = {
  unavailable: "error.lost", unauthenticated: "error.token", permission_denied: "error.token",
  resource_exhausted: "error.large", deadline_exceeded: "error.large", failed_precondition: "error.unanswered",
  out_of_range: "error.unanswered", unimplemented: "error.unanswered",
};
const MEANT = /;? ?did you mean (.+?)\?/;

/** The positions that a refusal suggests. */
export const meantBy = ({ message }) => (MEANT.exec(message)?.[1].split(" or ") ?? []).map((each) => each.replace(/ \([^()]*\)$/, ""));

/** A box for refusals. `onTake(text)` gets the suggested position. */
export function createComplaints({ onTake, onAgain }) {
  const element = h("div", { class: "trouble", hidden: true });

  function show(message, ...more) {
    element.hidden = !message;
    element.replaceChildren(h("p", { role: "alert" }, ...[message].flat()), ...more);
  }

  return {
    element, show, clear: () => show(""),
    /** Show the meaning of an `OracleError`. */
    error(error) {
      const { code, message } = error;
      const said = message.replace(/^[\w.[\]]+: /, "").replace(MEANT, "");
      const isPosition = code === "invalid_argument" || code === "not_found";
      const words = isPosition ? [language === "en" && said.includes(" is not a position") ? "" : `${t("error.position")} `, served(said)] : t(WORDS[code] ?? "error.internal");
      show(words, ...(onTake ? meantBy(error) : []).map((text) => button(t("error.meant", { text }), () => onTake(text))),
        words === t("error.token") ? button(t("token.enter"), () => dispatchEvent(new Event("token"))) : "",
        !isPosition && onAgain ? button(t("error.again"), onAgain) : "");
    },
  };
}
