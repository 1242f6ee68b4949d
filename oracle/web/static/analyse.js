// Analyse: everything the oracle knows about a position, move by move.

import { createChanceBox } from "./chancebox.js";
import { createComplaints } from "./complaints.js";
import { button, card, field, h, positionField, say, select, tell, tools } from "./dom.js";
import { factsOf } from "./facts.js";
import { createChooser, createRules, isDrawn } from "./games.js";
import { chip } from "./marks.js";
import { createMoveTable } from "./movetable.js";
import { MOST_MOVES } from "./moves.js";
import { analyse, bestLine } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { copyLink, copyPicture } from "./share.js";
import { t } from "./text.js";
import { createVariations } from "./variations.js";
import { createSurface } from "./views/surface.js";
import { whyOf } from "./why.js";
import { moveLink } from "./words.js";
import { createWork } from "./work.js";

const NUMBERS = ["", "grundy", "remoteness", "chance"];

/** The view. `remember(text)` puts a position in the address, as a step of the browser's history. */
export function createAnalyse({ remember, playPosition }) {
  let position = readPosition("chomp:5/4/4/2");
  let analysis = null;
  let chances = null;
  let shaping = false;
  let cells = "";

  const work = createWork((error) => {
    if (!analysis) showNothing();
    complaints.error(error);
  });
  const surface = createSurface({ onMove, onShape: (text) => go(text) });
  const rules = createRules();
  const status = h("p", { class: "status", id: "verdict" });
  const howToDraw = h("p", { class: "quiet" });
  const complaints = createComplaints({ onTake: (text) => go(text), onAgain: () => load() });
  const text = positionField((value) => go(value));
  const chooser = createChooser((start) => go(start));
  const shows = select(NUMBERS.map((each) => [each, t(`cells.${each || "outcome"}`)]), "", cellsChosen);
  const draws = button(t("play.draw"), () => { shaping = !shaping; draw(); }, { hidden: true });
  const facts = h("dl", { class: "facts" });
  const moves = createMoveTable({ go });
  const line = h("ol", { class: "line" });
  const lineNote = h("p", { class: "quiet" });
  const why = h("div", { class: "why", "aria-live": "polite" });
  const variations = createVariations({ go });
  const chance = createChanceBox({ asked: () => ({ position, analysis, work }), onChances: (found) => { chances = found; draw(); } });

  const element = h("div", { class: "analyse columns" },
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("analyse.board") },
        status, complaints.element, howToDraw, surface.element, legend(),
        tools(field(t("analyse.cells"), shows, { class: "field inline" }), draws,
          button(t("analyse.play"), () => playPosition(position.text)),
          button(t("share.link"), copyLink), button(t("share.picture"), () => copyPicture(position)),
          button(t("analyse.print"), () => print()))),
      card(t("moves.title"), moves.element)),
    h("div", { class: "side" },
      card(t("analyse.setup"), field(t("play.game"), chooser.element), field(t("play.position"), text), rules.element),
      card(t("analyse.facts"), facts, tools(button(t("why.ask"), explain)), why),
      card(t("line.title"), line, lineNote),
      card(t("variations.title"), variations.element),
      card(t("chance.title"), chance.element)));

  function go(next) {
    const read = readPosition(next);
    if (read.text !== position.text || !analysis) remember(read.text);
  }

  function onMove(move) {
    if (move) go(move.child);
    else tell(t("play.illegal"));
  }

  function cellsChosen(value) {
    cells = value;
    if (wantsAll() && analysis && !analysis.complete && position.count <= MOST_MOVES) load();
    else if (cells === "chance" && !chances) chance.ask();
    draw();
  }

  /** Only listed moves have numbers for their cells. */
  const wantsAll = () => cells === "grundy" || cells === "remoteness";

  function load() {
    [analysis, chances] = [null, null];
    complaints.clear();
    chance.clear();
    why.replaceChildren();
    text.value = position.text;
    chooser.show(position);
    rules.show(position);
    draw();
    work.restart(ask);
  }

  async function ask(signal) {
    const found = await analyse(position, { signal, all: wantsAll() });
    // From here on the view uses the oracle's canonical text of the position.
    if (found.text !== position.text) position = readPosition(found.text);
    analysis = found;
    variations.visit(position.text, found);
    draw();
    say(verdict());
    const [best] = found.wins ?? [];
    if (best) surface.go(best);
    line.replaceChildren();
    lineNote.textContent = t("analyse.asking");
    drawLine(await bestLine(position.text, { signal }));
    if (cells === "chance") await chance.ask();
  }

  function draw() {
    draws.hidden = !isDrawn(position);
    draws.setAttribute("aria-pressed", String(shaping));
    draws.textContent = t(shaping ? "play.drawn" : "play.draw");
    howToDraw.textContent = shaping ? t(position.kind === "strip" ? "play.shapingStrip" : "play.shaping") : "";
    howToDraw.hidden = !shaping;
    surface.show(position, { analysis, shaping, marks: { number: cells, chances } });
    status.textContent = analysis ? verdict() : t("analyse.asking");
    // The earlier answer stays until the new one arrives, so that nothing jumps.
    if (!analysis) return;
    status.className = `status ${{ N: "win", P: "lose" }[analysis.outcome] ?? "unknown"}`;
    facts.replaceChildren(...factsOf(analysis));
    moves.show(analysis, chances);
  }

  function showNothing() {
    status.textContent = t("analyse.failed");
    for (const part of [facts, moves.element, line, lineNote]) part.replaceChildren();
  }

  function verdict() {
    const { outcome, values } = analysis;
    const end = analysis.complete && !analysis.moves.length ? ".end" : "";
    const plies = values.remoteness === undefined || end ? "" : t("analyse.plies", { n: Number(values.remoteness) });
    return t(`outcome.${outcome}${outcome === "?" ? "" : end}`) + plies;
  }

  function drawLine({ plies, complete }) {
    line.replaceChildren(...plies.map((ply) => h("li", {}, moveLink(ply, go), ply.values.remoteness === undefined ? ""
      : h("span", { class: "quiet" }, ` ${t("line.left", { n: Number(ply.values.remoteness) })}`))));
    lineNote.textContent = t(!plies.length ? "line.none" : complete ? "line.complete" : "line.open", { n: plies.length });
  }

  function explain() {
    if (!analysis) return;
    why.replaceChildren(h("p", { class: "quiet" }, t("analyse.asking")));
    work.run(async (signal) => why.replaceChildren(...await whyOf(position, analysis, go, { signal })), (error) => {
      why.replaceChildren();
      complaints.error(error);
    });
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

function legend() {
  return h("p", { class: "legend" }, ["win", "lose", "unknown"].map((kind) => h("span", {}, chip(kind), ` ${t(`mark.${kind}`)}`)));
}
