// Play: a game against the oracle, against a friend, or between bots.

import { LEVELS, choose } from "./bots.js";
import { button, field, h, roving, say, select } from "./dom.js";
import { GAMES, isDrawn } from "./games.js";
import { commentOf, judgeGame } from "./judge.js";
import { marker } from "./marks.js";
import { childOf, isLocal, moverWon } from "./moves.js";
import { OracleError, analyse } from "./oracle.js";
import { RecordError, readRecord, writeRecord } from "./record.js";
import { readPosition } from "./rules/position.js";
import { t } from "./text.js";
import { createSurface } from "./views/surface.js";
import { wordsOf } from "./words.js";

const KEPT = "position-oracle.game";
const PACE_MS = 450;

/** The view; `remember(position, options)` puts a game in the address. */
export function createPlay({ remember, analysePosition }) {
  let game = newGame("chomp:7/7/7/7/7", ["you", "perfect"]);
  let analysis = null;
  let hinted = false;
  let shaping = false;
  let paused = false;
  let pace = PACE_MS;
  let running = new AbortController();

  const surface = createSurface({ onMove, onShape: (text) => setUp(text) });
  const status = h("p", { class: "status", id: "turn" });
  const last = h("p", { class: "quiet last" });
  const trouble = h("div", { class: "trouble", hidden: true });
  const list = h("ol", { class: "moves", "aria-label": t("play.moves") });
  const settleList = roving(list, "button");
  const chooser = select([...GAMES.map(([id]) => [id, t(`game.${id}`)]), ["own", t("game.own")]],
    "chomp", (id) => {
      const found = GAMES.find(([each]) => each === id);
      if (found) setUp(found[1]);
    });
  const text = h("input", { type: "text", spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", on: { change: () => setUp(text.value) } });
  const names = ["you", ...LEVELS].map((name) => [name, t(`player.${name}`)]);
  const seats = [0, 1].map((seat) => select(names, game.players[seat], (name) => {
    game.players[seat] = name;
    seatChanged();
  }));
  const file = h("input", { type: "file", accept: ".txt,.chomp,text/plain", hidden: true,
    on: { change: () => file.files[0] && load(file.files[0]) } });
  const buttons = {
    hint: button(t("play.hint"), hint),
    pass: button(t("play.pass"), () => onMove({ pass: {} })),
    undo: button(t("play.undo"), undo),
    pause: button(t("play.pause"), () => { paused = !paused; refresh(); if (!paused) go(); }),
    draw: button(t("play.draw"), () => { shaping = !shaping; refresh(); }),
    again: button(t("play.again"), () => setUp(game.start)),
    judge: button(t("play.judge"), judge),
    save: button(t("play.save"), save),
    load: button(t("play.load"), () => file.click()),
    analyse: button(t("play.analyse"), () => analysePosition(shown().text)),
    here: button(t("play.here"), continueHere),
  };
  const steps = [["first", "«", () => 0], ["back", "‹", () => game.at - 1],
    ["forward", "›", () => game.at + 1], ["last", "»", () => game.moves.length]].map(
    ([name, face, to]) => button(face, () => view(to()), { "aria-label": t(`play.${name}`), class: "small" }));

  const element = h("div", { class: "play columns" },
    h("section", { class: "card main", "aria-label": t("play.board") },
      status, last, trouble, surface.element,
      h("div", { class: "tools", role: "group", "aria-label": t("play.tools") },
        buttons.hint, buttons.pass, buttons.undo, buttons.pause, buttons.here, buttons.again)),
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("play.setup") }, h("h2", {}, t("play.setup")),
        field(t("play.game"), chooser), field(t("play.position"), text),
        h("div", { class: "pair" }, field(t("play.firstSeat"), seats[0]), field(t("play.secondSeat"), seats[1])),
        h("div", { class: "tools" }, buttons.draw, buttons.analyse)),
      h("section", { class: "card", "aria-label": t("play.moves") }, h("h2", {}, t("play.moves")), list,
        h("div", { class: "tools" }, ...steps, buttons.judge),
        h("div", { class: "tools" }, buttons.save, buttons.load, file))));

  function newGame(start, players) {
    const position = readPosition(start);
    return { start: position.text, position, players: [...players], moves: [], at: 0, winner: null, judged: [] };
  }

  /** The position on the board: the last one, or an earlier one that is looked at again. */
  function shown() {
    return game.at === game.moves.length ? game.position : positionAt(game.at);
  }

  function positionAt(at) {
    return readPosition(at ? game.moves[at - 1].child : game.start);
  }

  const turn = () => game.moves.length % 2;
  const isPersons = () => game.winner === null && game.players[turn()] === "you";
  const isLive = () => game.at === game.moves.length;

  function setUp(start, players = game.players, { keepHash = false } = {}) {
    const wanted = readPosition(start);
    if (wanted.kind === "text" && !/:/.test(start)) {
      show(t("error.position", { text: start.slice(0, 60) }));
      return;
    }
    stop();
    game = newGame(start, players);
    paused = players.every((name) => name !== "you");
    if (!keepHash) remember(game.start, { first: players[0], second: players[1] });
    go();
  }

  function seatChanged() {
    stop();
    remember(game.start, { first: game.players[0], second: game.players[1] });
    paused = game.players.every((name) => name !== "you");
    go();
  }

  function stop() {
    running.abort();
    running = new AbortController();
    analysis = null;
    hinted = false;
    shaping = shaping && game.moves.length === 0;
    show("");
  }

  /** Take up the game where it stands: ask what must be known, let a bot move. */
  async function go() {
    const { signal } = running;
    refresh();
    store();
    try {
      const { position } = game;
      const won = position.moverWon ?? (isLocal(position) ? null : await outcomeAsked(position, signal));
      if (signal.aborted) return;
      if (won !== null) {
        end(won);
        return;
      }
      if (isPersons() || shaping) {
        refresh();
        return;
      }
      if (paused) return;
      const began = performance.now();
      const move = await choose(game.players[turn()], position, { signal });
      await new Promise((resolve) => { setTimeout(resolve, pace - (performance.now() - began)); });
      if (signal.aborted) return;
      make(move);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
  }

  async function outcomeAsked(position, signal) {
    analysis = await analyse(position, { signal });
    if (signal.aborted) return null;
    refresh();
    return moverWon(position, { signal });
  }

  function failed(error) {
    if (!(error instanceof OracleError)) throw error;
    const lost = error.code === "unavailable";
    show(lost ? t("error.lost") : t("error.refused", { message: error.message }),
      button(t("error.again"), () => { stop(); go(); }));
  }

  function show(message, ...more) {
    trouble.hidden = !message;
    trouble.replaceChildren(h("p", { role: "alert" }, message), ...more);
  }

  function end(won) {
    game.winner = won ? turn() : 1 - turn();
    refresh();
    store();
    say(resultWords());
    // The cell that had the focus may be gone.
    if (document.activeElement === document.body || surface.element.contains(document.activeElement)) {
      buttons.again.focus({ preventScroll: true });
    }
  }

  function onMove(action, component, known) {
    if (!isPersons() || !isLive() || shaping) {
      say(t(isLive() ? "play.notYourTurn" : "play.lookingBack"));
      return;
    }
    const child = known?.child ?? childOf(game.position, action, component, analysis);
    if (child === null) {
      say(t("play.illegal"));
      return;
    }
    stop();
    make({ action, component, child, isPass: Boolean(action?.pass) && component === undefined });
    surface.focus();
  }

  function make(move) {
    const mover = turn();
    game.moves.push(move);
    game.position = readPosition(move.child);
    game.at = game.moves.length;
    analysis = null;
    hinted = false;
    say(t("play.said", { player: seatName(mover), move: wordsOf(move) }));
    go();
  }

  function undo() {
    stop();
    const bots = game.players.filter((name) => name !== "you").length;
    const back = bots === 1 && game.players[turn()] === "you" && game.winner === null ? 2 : 1;
    game.moves.length = Math.max(0, game.moves.length - back);
    // A finished game may have been ended by either player: stop where a person is to move.
    while (bots === 1 && game.moves.length && game.players[turn()] !== "you") game.moves.pop();
    resume();
  }

  function continueHere() {
    stop();
    game.moves.length = game.at;
    resume();
  }

  function resume() {
    game.at = game.moves.length;
    game.position = positionAt(game.at);
    game.winner = null;
    game.judged.length = Math.min(game.judged.length, game.at);
    go();
  }

  async function hint() {
    const position = shown();
    try {
      const found = await analyse(position, { signal: running.signal });
      if (shown().text !== position.text) return;
      analysis = found;
      hinted = true;
      refresh();
      const [best] = found.wins ?? [];
      const key = found.outcome === "?" ? "play.hintUnknown" : best ? "play.hintWins" : "play.hintNone";
      const named = best && marksAction(position, found, best);
      say(t(key, { move: named ? wordsOf(named) : "" }));
      status.textContent = t(key, { move: named ? wordsOf(named) : "" });
      if (named?.action) surface.go(named.action);
    } catch (error) {
      if (error.name !== "AbortError") failed(error);
    }
  }

  function marksAction(position, found, best) {
    return { ...best, ...moveNamed(position, best.child) };
  }

  function moveNamed(position, child) {
    if (!isLocal(position) || position.count > 20_000) return {};
    for (const move of position.moves()) if (move.child === child) return move;
    return {};
  }

  async function judge() {
    const { signal } = running;
    buttons.judge.disabled = true;
    try {
      await judgeGame(game.start, game.moves, (at, judgement) => {
        game.judged[at] = judgement;
        drawList();
      }, { signal });
      const mistakes = game.judged.filter((each) => each.verdict === "mistake").length;
      say(t("judge.done", { n: mistakes }));
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    buttons.judge.disabled = false;
  }

  function save() {
    const comments = game.judged.map((each) => (each ? commentOf(each) : ""));
    const link = h("a", { download: "game.txt",
      href: URL.createObjectURL(new Blob([writeRecord(game, comments)], { type: "text/plain" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(t("record.saved"));
  }

  async function load(from) {
    stop();
    try {
      const read = await readRecord(await from.text(), { signal: running.signal });
      game = { ...newGame(read.start, read.players.map((name) => (names.some(([each]) => each === name)
        ? name : name.startsWith("sloppy") ? "sloppy" : "you"))), moves: read.moves, winner: read.winner };
      game.position = positionAt(game.moves.length);
      game.at = 0;
      paused = true;
      remember(game.start, { first: game.players[0], second: game.players[1] });
      refresh();
      store();
      say(t("record.loaded", { n: game.moves.length }));
    } catch (error) {
      if (error instanceof RecordError) show(t(error.key, error.values));
      else failed(error);
    }
    file.value = "";
  }

  function view(at) {
    game.at = Math.max(0, Math.min(game.moves.length, at));
    hinted = false;
    refresh();
    say(game.at ? t("play.at", { number: game.at, move: wordsOf(game.moves[game.at - 1]) }) : t("play.atStart"));
  }

  const seatName = (seat) => (game.players[0] === "you" && game.players[1] === "you"
    ? t(seat ? "player.second" : "player.first") : t(`player.${game.players[seat]}`));

  function resultWords() {
    return t("play.won", { player: seatName(game.winner) });
  }

  function statusWords() {
    if (shaping) return t("play.shaping");
    if (!isLive()) return t("play.lookingAt", { number: game.at, all: game.moves.length });
    if (game.winner !== null) return resultWords();
    const who = seatName(turn());
    return isPersons() ? t("play.turn", { player: who }) : t(paused ? "play.pausedAt" : "play.thinking", { player: who });
  }

  function refresh() {
    const position = shown();
    const mark = hinted && analysis?.text === position.text
      ? marker(position, analysis, { onlyWins: true }) : null;
    surface.show(position, { mark, shaping, from: readPosition(game.start), moves: analysis?.moves ?? [],
      winning: hinted ? (analysis?.wins ?? []).map((each) => moveNamed(position, each.child).action ?? {}) : [] });
    status.textContent = statusWords();
    const before = game.at ? game.moves[game.at - 1] : null;
    last.textContent = before && !shaping
      ? t("play.moved", { player: seatName((game.at - 1) % 2), move: wordsOf(before) }) : "";
    text.value = game.start;
    chooser.value = GAMES.find(([, start]) => readPosition(start).text === game.start)?.[0] ?? "own";
    seats.forEach((seat, at) => { seat.value = game.players[at]; });
    const onlyBots = game.players.every((name) => name !== "you");
    buttons.pass.hidden = !(position.passes > 0 && isPersons());
    buttons.undo.disabled = !game.moves.length;
    buttons.pause.hidden = !onlyBots || game.winner !== null;
    buttons.pause.textContent = t(paused ? "play.go" : "play.pause");
    buttons.hint.disabled = game.winner !== null && isLive();
    buttons.again.classList.toggle("primary", game.winner !== null);
    buttons.here.hidden = isLive();
    buttons.draw.hidden = !isDrawn(position) || game.moves.length > 0;
    buttons.draw.setAttribute("aria-pressed", String(shaping));
    buttons.draw.textContent = t(shaping ? "play.drawn" : "play.draw");
    buttons.judge.hidden = !game.moves.length;
    element.classList.toggle("over", game.winner !== null && isLive());
    steps.forEach((step, at) => { step.disabled = at < 2 ? game.at === 0 : isLive(); });
    drawList();
  }

  function drawList() {
    const focused = list.contains(document.activeElement) ? game.at : null;
    list.replaceChildren(...game.moves.map((move, at) => {
      const said = game.judged[at];
      return h("li", { class: said?.verdict ?? "" }, button(wordsOf(move), () => view(at + 1),
        { "aria-current": game.at === at + 1 ? "step" : null, title: move.child }),
      said ? h("span", { class: "verdict" }, verdictWords(at, said)) : null);
    }));
    settleList();
    const current = list.querySelector("[aria-current]");
    if (focused !== null) current?.focus();
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }

  function verdictWords(at, { verdict, better, plies }) {
    const named = better && { ...better, ...moveNamed(positionAt(at), better.child) };
    const parts = [t(`judge.${verdict}`)];
    if (plies !== undefined && verdict !== "mistake") parts.push(t("judge.plies", { n: Number(plies) }));
    if (named) {
      parts.push(t(verdict === "mistake" ? "judge.better" : verdict === "wins" ? "judge.faster" : "judge.longer",
        { move: wordsOf(named), n: Number(better.values?.remoteness ?? 0) }));
    }
    return parts.join(" · ");
  }

  function store() {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ start: game.start, players: game.players, moves: game.moves }));
    } catch { /* a private window may have no storage: the game is then not kept */ }
  }

  function restore(start, players) {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      if (!kept || kept.start !== start || String(kept.players) !== String(players)) return false;
      game = { ...newGame(kept.start, kept.players), moves: kept.moves };
      resume();
      return true;
    } catch {
      return false;
    }
  }

  return {
    element,
    /** Show the game that the address names. */
    open(start, { first = "you", second = "perfect", pace: wanted } = {}) {
      const known = (name) => names.some(([each]) => each === name);
      const players = [first, second].map((name) => (known(name) ? name : "you"));
      if (wanted !== undefined) pace = Math.max(0, Math.min(5000, Number(wanted) || 0));
      const from = start ? readPosition(start).text : game.start;
      if (from === game.start && String(players) === String(game.players) && game.moves.length) return;
      stop();
      if (!restore(from, players)) setUp(from, players, { keepHash: true });
    },
  };
}
