// Analyse: everything the oracle knows about a position, move by move.

import { MODELS, chanceOf, chancesOf, modelText } from "./chance.js";
import { button, field, h, say, select, settled } from "./dom.js";
import { GAMES, isDrawn } from "./games.js";
import { bestLine } from "./line.js";
import { marker } from "./marks.js";
import { MOST_MOVES, childOf, isLocal, movesOf, withAction } from "./moves.js";
import { OracleError, analyse } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { number, t } from "./text.js";
import { createSurface } from "./views/surface.js";
import { wordsOf } from "./words.js";

const MOVES_AT_ONCE = 40;
const NUMBERS = ["", "grundy", "remoteness", "chance"];

/** A probability with more digits than a cell has room for. */
function exactly(chance) {
  const text = (100 * chance).toFixed(3);
  return text === "100.000" && chance < 1 ? "> 99.999 %" : `${text} %`;
}

/** The view; `remember(text)` puts a position in the address, as a step to come back from. */
export function createAnalyse({ remember, playPosition }) {
  let position = readPosition("chomp:5/4/4/2");
  let analysis = null;
  let chances = null;
  let shaping = false;
  let cells = "";
  let listed = MOVES_AT_ONCE;
  let running = new AbortController();

  const surface = createSurface({ onMove, onShape: (text) => go(text) });
  const status = h("p", { class: "status", id: "verdict" });
  const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  const text = h("input", { type: "text", spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", on: { change: () => go(text.value) } });
  const chooser = select([["", t("analyse.choose")], ...GAMES.map(([id]) => [id, t(`game.${id}`)])], "", (id) => {
    const found = GAMES.find(([each]) => each === id);
    if (found) go(found[1]);
  });
  const shows = select(NUMBERS.map((each) => [each, t(`cells.${each || "outcome"}`)]), "", (value) => {
    cells = value;
    if (wantsAll() && analysis && !analysis.complete && position.count <= MOST_MOVES) {
      load();
      return;
    }
    if (cells === "chance" && !chances) askChance();
    draw();
  });
  const draws = button(t("play.draw"), () => { shaping = !shaping; draw(); });
  const facts = h("dl", { class: "facts" });
  const moves = h("div", { class: "tablebox", tabindex: 0, role: "region", "aria-label": t("moves.label") });
  const line = h("ol", { class: "line" });
  const lineNote = h("p", { class: "quiet" });
  const chance = h("div", { class: "chance", "aria-live": "polite" });
  const model = select(MODELS.map((each) => [each, t(`model.${each}`)]), "perfect-vs-random", () => modelChosen());
  const epsilon = h("input", { type: "number", min: 0.01, max: 1, step: 0.01, value: 0.1, on: { change: () => modelChosen() } });
  const epsilonField = field(t("chance.epsilon"), epsilon, { hidden: true });

  const element = h("div", { class: "analyse columns" },
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("analyse.board") },
        status, trouble, surface.element, legend(),
        h("div", { class: "tools" }, field(t("analyse.cells"), shows, { class: "field inline" }), draws,
          button(t("analyse.play"), () => playPosition(position.text)),
          button(t("analyse.share"), share))),
      h("section", { class: "card", "aria-label": t("moves.title") }, h("h2", {}, t("moves.label")), moves)),
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("analyse.setup") }, h("h2", {}, t("analyse.setup")),
        field(t("play.game"), chooser), field(t("play.position"), text)),
      h("section", { class: "card", "aria-label": t("analyse.facts") }, h("h2", {}, t("analyse.facts")), facts),
      h("section", { class: "card", "aria-label": t("line.title") }, h("h2", {}, t("line.title")), line, lineNote),
      h("section", { class: "card", "aria-label": t("chance.title") }, h("h2", {}, t("chance.title")),
        field(t("chance.model"), model), epsilonField,
        h("div", { class: "tools" }, button(t("chance.ask"), askChance)), chance)));

  function legend() {
    return h("p", { class: "legend" }, ["win", "lose", "unknown"].map((kind) =>
      h("span", {}, h("span", { class: `chip ${kind}`, "aria-hidden": "true" },
        { win: "✓", lose: "×", unknown: "?" }[kind]), ` ${t(`mark.${kind}`)}`)));
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
    else say(t("play.illegal"));
  }

  async function load() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    analysis = null;
    chances = null;
    listed = MOVES_AT_ONCE;
    status.textContent = t("analyse.asking");
    complain("");
    chance.replaceChildren();
    text.value = position.text;
    chooser.value = GAMES.find(([, start]) => readPosition(start).text === position.text)?.[0] ?? "";
    surface.show(position, { shaping });
    try {
      const found = await analyse(position, { signal, all: wantsAll() });
      if (signal.aborted) return;
      // The oracle's canonical text is the position's name from here on.
      if (found.text !== position.text) position = readPosition(found.text);
      analysis = found;
      draw();
      say(verdict());
      if (winning().length) surface.go(winning()[0]);
      await drawLine(signal);
      if (cells === "chance") await askChance();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OracleError)) throw error;
      status.textContent = t("analyse.failed");
      facts.replaceChildren();
      moves.replaceChildren();
      line.replaceChildren();
      complain(error.code === "unavailable" ? t("error.lost") : error.message);
    }
  }

  function complain(message) {
    trouble.hidden = !message;
    trouble.textContent = message;
  }

  function draw() {
    draws.hidden = !isDrawn(position);
    draws.setAttribute("aria-pressed", String(shaping));
    draws.textContent = t(shaping ? "play.drawn" : "play.draw");
    epsilonField.hidden = model.value !== "perfect-vs-sloppy";
    if (!analysis) return;
    const mark = marker(position, analysis, { number: cells, chances });
    surface.show(position, { mark, shaping, moves: isLocal(position) ? [] : movesOf(position, analysis), winning: winning() });
    status.textContent = verdict();
    status.className = `status ${{ N: "win", P: "lose" }[analysis.outcome] ?? "unknown"}`;
    drawFacts();
    drawMoves();
  }

  /** Numbers in cells are known of listed moves alone. */
  function wantsAll() {
    return cells === "grundy" || cells === "remoteness";
  }

  function winning() {
    return (analysis.wins ?? []).map((move) => withAction(position, move).action).filter(Boolean);
  }

  function verdict() {
    const { outcome, values } = analysis;
    const end = analysis.complete && !analysis.moves.length ? ".end" : "";
    const plies = values.remoteness === undefined || end ? "" : t("analyse.plies", { n: Number(values.remoteness) });
    return t(`outcome.${outcome}${outcome === "?" ? "" : end}`) + plies;
  }

  function drawFacts() {
    const { values, transfinite = {} } = analysis;
    const rows = [
      ["facts.position", h("code", {}, analysis.text)],
      ["facts.outcome", t(`outcome.short.${analysis.outcome}`)],
      ["facts.certainty", t(`certainty.${analysis.certainty}`)],
      ["facts.reason", analysis.reason],
      ["facts.certificate", analysis.certificate],
      ["facts.estimate", analysis.estimate
        && t("facts.chance", { chance: (100 * (analysis.estimate.chance ?? 0)).toPrecision(3) })],
      ["facts.wins", analysis.wins && number(analysis.wins.length)],
      ["facts.grundy", values.grundy ?? transfinite?.grundy],
      ["facts.unrestricted", values.grundyUnrestricted ?? transfinite?.grundyUnrestricted],
      ["facts.remoteness", values.remoteness],
      ["facts.size", transfinite?.size], ["facts.rule", transfinite?.rule],
      ["facts.bite", transfinite?.bite?.join(", ")],
      ["facts.tables", analysis.tables],
    ];
    facts.replaceChildren(...rows.filter(([, value]) => value !== undefined && value !== null && value !== "")
      .flatMap(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, value)]));
  }

  function drawMoves() {
    const all = analysis.moves.map((move) => withAction(position, move));
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
        return h("td", { class: kind }, h("span", { class: `chip ${kind}`, "aria-hidden": "true" },
          { win: "✓", lose: "×", unknown: "?" }[kind]), ` ${t(`mark.short.${kind}`)}`);
      }
      const chanceHere = chances?.get(move.child);
      return h("td", { class: "number" }, value === "chance"
        ? (chanceHere === undefined || Number.isNaN(chanceHere) ? "" : exactly(chanceHere)) : move.values[value] ?? "");
    };
    moves.replaceChildren(
      h("table", {}, h("thead", {}, h("tr", {}, kept.map(([key, value]) => h("th", { scope: "col", class: value && "number" }, t(key))))),
        h("tbody", {}, all.slice(0, listed).map((move) => h("tr", {}, kept.map((column) => cell(move, column)))))),
      h("p", { class: "quiet" }, t(analysis.complete ? "moves.shown" : "moves.partly",
        { n: Math.min(listed, all.length), all: all.length })),
      all.length > listed ? button(t("moves.more"), () => { listed *= 4; drawMoves(); }) : "");
  }

  async function drawLine(signal) {
    line.replaceChildren();
    lineNote.textContent = t("line.asking");
    const from = position.text;
    const found = await bestLine(from, { signal });
    if (signal.aborted) return;
    let before = position;
    for (const ply of found.plies) {
      const known = withAction(before, ply);
      line.append(h("li", {}, button(wordsOf(known), () => go(ply.child), { class: "link", title: ply.child }),
        ply.values.remoteness === undefined ? null
          : h("span", { class: "quiet" }, ` ${t("line.left", { n: Number(ply.values.remoteness) })}`)));
      before = readPosition(ply.child);
    }
    lineNote.textContent = found.complete && found.plies.length
      ? t("line.complete", { n: found.plies.length }) : found.reason || t("line.none");
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
      chance.replaceChildren(h("p", {}, error.code === "unavailable" ? t("error.lost") : error.message));
    }
  }

  function chanceWords({ value, exact, method, errorBound, reason }) {
    if (value === undefined) return [h("p", {}, t("chance.unknown")), h("p", { class: "quiet" }, reason)];
    const bound = errorBound ? t("chance.bound", { bound: errorBound.toExponential(1) }) : "";
    return [
      h("p", { class: "big" }, `${(100 * value).toFixed(4)} %`),
      h("meter", { min: 0, max: 1, value, "aria-label": t("chance.title") }),
      exact.length && exact.length < 60 ? h("p", {}, t("chance.exactly", { exact })) : "",
      h("p", { class: "quiet" }, `${t(`method.${method}`)}${bound}. ${reason}`),
    ].filter((each) => each !== "");
  }

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      say(t("analyse.shared"));
      lineNote.textContent = t("analyse.shared");
    } catch {
      say(t("analyse.shareBy", { address: location.href }));
    }
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
