// Analyse: everything the oracle knows about a position, move by move.

import { MODELS, chanceOf, chancesOf, modelText } from "./chance.js";
import { createComplaints } from "./complaints.js";
import { button, field, h, say, select, settled, tell } from "./dom.js";
import { createChooser, createRules, isDrawn } from "./games.js";
import { term } from "./help.js";
import { bestLine } from "./line.js";
import { marker } from "./marks.js";
import { MOST_MOVES, childOf, isLocal, movesOf } from "./moves.js";
import { OracleError, analyse } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { copyLink, copyPicture } from "./share.js";
import { number, t } from "./text.js";
import { createVariations } from "./variations.js";
import { createSurface } from "./views/surface.js";
import { whyOf } from "./why.js";
import { served, wordsOf } from "./words.js";

const MOVES_AT_ONCE = 40;
const NUMBERS = ["", "grundy", "remoteness", "chance"];
const SYMBOLS = { win: "✓", lose: "×", unknown: "?" };

/** A probability with more digits than a cell has room for. */
function exactly(chance) {
  const text = (100 * chance).toFixed(3);
  return text === "100.000" && chance < 1 ? "> 99.999 %" : `${text} %`;
}

/** The view; `remember(text)` puts a position in the address, as a step to come back from. */
export function createAnalyse({ remember, playPosition, onToken }) {
  let position = readPosition("chomp:5/4/4/2");
  let analysis = null;
  let chances = null;
  let shaping = false;
  let cells = "";
  let listed = MOVES_AT_ONCE;
  let running = new AbortController();

  const surface = createSurface({ onMove, onShape: (text) => go(text) });
  const rules = createRules();
  const status = h("p", { class: "status", id: "verdict" });
  const complaints = createComplaints({ onTake: (text) => go(text), onAgain: () => load(), onToken });
  const text = h("input", { type: "text", spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", on: { change: () => go(text.value) } });
  const chooser = createChooser((start) => go(start));
  const shows = select(NUMBERS.map((each) => [each, t(`cells.${each || "outcome"}`)]), "", (value) => {
    cells = value;
    if (wantsAll() && analysis && !analysis.complete && position.count <= MOST_MOVES) {
      load();
      return;
    }
    if (cells === "chance" && !chances) askChance();
    draw();
  });
  const draws = button(t("play.draw"), () => { shaping = !shaping; draw(); }, { hidden: true });
  const facts = h("dl", { class: "facts" });
  const moves = h("div", { class: "tablebox", tabindex: 0, role: "region", "aria-label": t("moves.label") });
  const line = h("ol", { class: "line" });
  const lineNote = h("p", { class: "quiet" });
  const why = h("div", { class: "why", "aria-live": "polite" });
  const asks = button(t("why.ask"), explain);
  const variations = createVariations({ go });
  const chance = h("div", { class: "chance", "aria-live": "polite" });
  const model = select(MODELS.map((each) => [each, t(`model.${each}`)]), "perfect-vs-random", () => modelChosen());
  const epsilon = h("input", { type: "number", min: 0.01, max: 1, step: 0.01, value: 0.1, on: { change: () => modelChosen() } });
  const epsilonField = field(t("chance.epsilon"), epsilon, { hidden: true });
  const card = (name, ...children) => h("section", { class: "card", "aria-label": t(name) }, h("h2", {}, t(name)), children);

  const element = h("div", { class: "analyse columns" },
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("analyse.board") },
        status, complaints.element, surface.element, legend(),
        h("div", { class: "tools" }, field(t("analyse.cells"), shows, { class: "field inline" }), draws,
          button(t("analyse.play"), () => playPosition(position.text)),
          button(t("share.link"), copyLink), button(t("share.picture"), () => copyPicture(position)),
          button(t("analyse.print"), () => print()))),
      h("section", { class: "card", "aria-label": t("moves.title") }, h("h2", {}, t("moves.label")), moves)),
    h("div", { class: "side" },
      card("analyse.setup", field(t("play.game"), chooser.element), field(t("play.position"), text),
        h("details", { class: "values" }, h("summary", {}, t("rules.button")), rules.element)),
      card("analyse.facts", facts, h("div", { class: "tools" }, asks), why),
      card("line.title", line, lineNote),
      card("variations.title", variations.element),
      card("chance.title", field(t("chance.model"), model), epsilonField,
        h("div", { class: "tools" }, button(t("chance.ask"), askChance)), chance)));

  function legend() {
    return h("p", { class: "legend" }, ["win", "lose", "unknown"].map((kind) =>
      h("span", {}, h("span", { class: `chip ${kind}`, "aria-hidden": "true" }, SYMBOLS[kind]), ` ${t(`mark.${kind}`)}`)));
  }

  function go(next) {
    const read = readPosition(next);
    if (read.text === position.text && analysis) return;
    remember(read.text);
  }

  function onMove(action, component, known) {
    if (shaping) return;
    const child = known?.child ?? childOf(position, action, component, analysis);
    if (child) go(child);
    else tell(t("play.illegal"));
  }

  async function load() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    analysis = null;
    chances = null;
    listed = MOVES_AT_ONCE;
    status.textContent = t("analyse.asking");
    complaints.clear();
    for (const part of [chance, why]) part.replaceChildren();
    text.value = position.text;
    chooser.show(position);
    show();
    rules.show(position);
    try {
      const found = await analyse(position, { signal, all: wantsAll() });
      if (signal.aborted) return;
      // The oracle's canonical text is the position's name from here on.
      if (found.text !== position.text) position = readPosition(found.text);
      analysis = found;
      variations.visit(position.text, found);
      draw();
      say(verdict());
      const [best] = found.wins ?? [];
      if (best?.action) surface.go(best.action, best.component);
      await drawLine(signal);
      if (cells === "chance") await askChance();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OracleError)) throw error;
      status.textContent = t("analyse.failed");
      for (const part of [facts, moves, line]) part.replaceChildren();
      lineNote.textContent = "";
      complaints.error(error);
    }
  }

  function show() {
    surface.show(position, { shaping, winning: analysis?.wins ?? [],
      mark: analysis && marker(position, analysis, { number: cells, chances }),
      isMove: (action, component) => childOf(position, action, component, analysis) !== null,
      moves: isLocal(position) ? [] : analysis && movesOf(position, analysis) });
  }

  function draw() {
    draws.hidden = !isDrawn(position);
    draws.setAttribute("aria-pressed", String(shaping));
    draws.textContent = t(shaping ? "play.drawn" : "play.draw");
    epsilonField.hidden = model.value !== "perfect-vs-sloppy";
    if (!analysis) return;
    show();
    status.textContent = verdict();
    status.className = `status ${{ N: "win", P: "lose" }[analysis.outcome] ?? "unknown"}`;
    drawFacts();
    drawMoves();
  }

  /** Numbers in cells are known of listed moves alone. */
  function wantsAll() {
    return cells === "grundy" || cells === "remoteness";
  }

  function verdict() {
    const { outcome, values } = analysis;
    const end = analysis.complete && !analysis.moves.length ? ".end" : "";
    const plies = values.remoteness === undefined || end ? "" : t("analyse.plies", { n: Number(values.remoteness) });
    return t(`outcome.${outcome}${outcome === "?" ? "" : end}`) + plies;
  }

  function drawFacts() {
    const { values, transfinite = {} } = analysis;
    const known = analysis.certainty !== "UNKNOWN";
    const rows = [
      ["position", h("code", {}, analysis.text), "position"],
      ["outcome", t(`outcome.short.${analysis.outcome}`), "outcome"],
      ["certainty", t(`certainty.${analysis.certainty}`), "certainty"],
      // What would decide an open question is for those who run the server.
      ["reason", known ? analysis.reason && served(analysis.reason) : t("facts.open")],
      ["certificate", analysis.certificate && served(analysis.certificate)],
      ["estimate", analysis.estimate
        && t("facts.chance", { chance: (100 * (analysis.estimate.chance ?? 0)).toPrecision(3) })],
      ["wins", analysis.wins && number(analysis.wins.length)],
      ["grundy", values.grundy ?? transfinite?.grundy, "grundy"],
      ["unrestricted", values.grundyUnrestricted ?? transfinite?.grundyUnrestricted, "grundy"],
      ["remoteness", values.remoteness, "remoteness"],
      ["size", transfinite?.size], ["rule", transfinite?.rule && served(transfinite.rule)], ["bite", transfinite?.bite?.join(", ")],
    ];
    facts.replaceChildren(...rows.filter(([, value]) => value !== undefined && value !== null && value !== "")
      .flatMap(([key, value, help]) => [h("dt", {}, help ? term(help, t(`facts.${key}`)) : t(`facts.${key}`)), h("dd", {}, value)]));
  }

  function drawMoves() {
    const all = analysis.moves;
    if (!all.length) {
      moves.replaceChildren(h("p", { class: "quiet" }, t("moves.none")));
      return;
    }
    const columns = [["moves.move"], ["moves.outcome"], ["moves.grundy", "grundy"], ["moves.remoteness", "remoteness"]];
    const kept = columns.filter(([, key]) => !key || all.some((move) => move.values[key] !== undefined));
    if (chances?.size) kept.push(["moves.chance", "chance"]);
    const cell = (move, [key, value]) => {
      if (key === "moves.move") {
        return h("td", {}, button(wordsOf(move), () => go(move.child), { class: "link", title: move.child }));
      }
      if (key === "moves.outcome") {
        const kind = { P: "win", N: "lose" }[move.outcome] ?? "unknown";
        return h("td", { class: kind }, h("span", { class: `chip ${kind}`, "aria-hidden": "true" }, SYMBOLS[kind]), ` ${t(`mark.short.${kind}`)}`);
      }
      const chanceHere = chances?.get(move.child);
      return h("td", { class: "number" }, value === "chance"
        ? (chanceHere === undefined || Number.isNaN(chanceHere) ? "" : exactly(chanceHere)) : move.values[value] ?? "");
    };
    moves.replaceChildren(
      h("table", {}, h("thead", {}, h("tr", {}, kept.map(([key, value]) => h("th", { scope: "col", class: value && "number" }, t(key))))),
        h("tbody", {}, all.slice(0, listed).map((move) => h("tr", {}, kept.map((column) => cell(move, column)))))),
      h("p", { class: "quiet" }, t(analysis.complete ? "moves.shown" : "moves.partly", { n: Math.min(listed, all.length), all: all.length })),
      all.length > listed ? button(t("moves.more"), () => { listed *= 4; drawMoves(); }) : "");
  }

  async function drawLine(signal) {
    line.replaceChildren();
    lineNote.textContent = t("analyse.asking");
    const found = await bestLine(position.text, { signal });
    if (signal.aborted) return;
    line.append(...found.plies.map((ply) => h("li", {}, button(wordsOf(ply), () => go(ply.child), { class: "link", title: ply.child }),
      ply.values.remoteness === undefined ? ""
        : h("span", { class: "quiet" }, ` ${t("line.left", { n: Number(ply.values.remoteness) })}`))));
    lineNote.textContent = t(found.complete && found.plies.length ? "line.complete" : found.plies.length ? "line.open" : "line.none",
      { n: found.plies.length });
  }

  async function explain() {
    if (!analysis) return;
    const { signal } = running;
    why.replaceChildren(h("p", { class: "quiet" }, t("analyse.asking")));
    try {
      const said = await whyOf(position, analysis, go, { signal });
      if (!signal.aborted) why.replaceChildren(...said);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OracleError)) throw error;
      why.replaceChildren();
      complaints.error(error);
    }
  }

  const modelChosen = settled(() => {
    epsilonField.hidden = model.value !== "perfect-vs-sloppy";
    if (chances || chance.childElementCount) askChance();
  }, 150);

  async function askChance() {
    if (!analysis) return;
    const { signal } = running;
    const wanted = modelText(model.value, epsilon.value);
    chance.replaceChildren(h("p", { class: "quiet" }, t("analyse.asking")));
    try {
      const found = await chanceOf(position.text, wanted, { signal });
      const all = isLocal(position) && position.count <= 20_000 ? [...position.moves()] : analysis.moves;
      const each = await chancesOf(position, all, wanted, { signal });
      if (signal.aborted) return;
      chances = each;
      chance.replaceChildren(...chanceWords(found));
      draw();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OracleError)) throw error;
      chances = new Map();
      chance.replaceChildren(h("p", {}, t(error.code === "unavailable" ? "error.lost" : "chance.unknown")));
    }
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

  return {
    element,
    open(next) {
      const wanted = readPosition(next || position.text);
      if (wanted.text === position.text && analysis) return;
      position = wanted;
      load();
    },
  };
}
