// The facts of an analysis, as a list of terms.

import { h } from "./dom.js";
import { term } from "./help.js";
import { number, t } from "./text.js";
import { placeWords, served } from "./words.js";

const isThere = (value) => value !== undefined && value !== null && value !== "";

/** Terms with their values. Terms that may be new link to their explanation. */
export function factsOf({ text, outcome, certainty, reason, certificate, estimate, wins, values, transfinite }) {
  const more = transfinite ?? {};
  const said = (words) => words && served(words);
  const rows = [
    ["position", h("code", {}, text), "position"],
    ["outcome", t(`outcome.short.${outcome}`), "outcome"],
    ["certainty", t(`certainty.${certainty}`), "certainty"],
    // Players are not told which build would decide an open question.
    ["reason", certainty === "UNKNOWN" ? t("facts.open") : said(reason)],
    ["certificate", said(certificate)],
    ["estimate", estimate && t("facts.chance", { chance: (100 * (estimate.chance ?? 0)).toPrecision(3) })],
    ["wins", wins && number(wins.length)],
    ["grundy", values.grundy ?? more.grundy, "grundy"],
    ["unrestricted", values.grundyUnrestricted ?? more.grundyUnrestricted, "grundy"],
    ["remoteness", values.remoteness, "remoteness"],
    ["size", more.size], ["rule", more.rule === reason ? null : said(more.rule)], ["bite", more.bite?.length ? placeWords(more.bite) : null],
  ];
  return rows.filter(([, value]) => isThere(value)).flatMap(([key, value, help]) =>
    [h("dt", {}, help ? term(help, t(`facts.${key}`)) : t(`facts.${key}`)), h("dd", {}, value)]);
}
