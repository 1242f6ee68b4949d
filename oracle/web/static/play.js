// Play: a game against the oracle, against a friend, or between bots.

import { LEVELS, choose } from "./bots.js";
import { createComplaints, meantBy } from "./complaints.js";
import { button, card, download, field, h, positionField, roving, say, select, tell, tools } from "./dom.js";
import { addMove, countBefore, cutAt, hasOneBot, isBot, isLive, isPersons, linkOf, movesOfLink, newGame, resultWords, seatName,
  shownOf, turnOf } from "./game.js";
import { FIRST, createChooser, createRules, isDrawn, rulesOf } from "./games.js";
import { commentOf, judgeGame, verdictWords } from "./judge.js";
import { keep, kept } from "./kept.js";
import { moverWon, movesFrom, positionAt } from "./moves.js";
import { analyse, outcomeAt } from "./oracle.js";
import { RecordError, readRecord, writeRecord } from "./record.js";
import { resultOf } from "./result.js";
import { readPosition } from "./rules/position.js";
import { copyLink, copyPicture } from "./share.js";
import { t } from "./text.js";
import { createSurface } from "./views/surface.js";
import { wordsOf } from "./words.js";
import { createWork } from "./work.js";

const PACE_MS = 450;
const PLAYERS = ["you", "easy"];
const SEATS = ["you", ...LEVELS];

/** The view. `remember(position, options)` puts a game in the address. */
export function createPlay({ remember, analysePosition }) {
  let game = newGame(FIRST, PLAYERS);
  let analysis = null;
  let hinted = false;
  let marked = false;
  let shaping = false;
  let paused = false;
  let failed = false;
  let pace = PACE_MS;

  const work = createWork((error) => {
    suggesting.stop();
    complaints.error(error);
    failed = true;
    refresh();
  });
  const suggesting = createWork((error) => { if (meantBy(error).length) complaints.error(error); });
  const surface = createSurface({ onMove, onShape: (text) => setUp(text) });
  const rules = createRules();
  const status = h("p", { class: "status", id: "turn" });
  const last = h("p", { class: "quiet last" });
  const complaints = createComplaints({ onTake: (text) => setUp(text), onAgain: () => { stop(); go(); } });
  const warning = h("div", { class: "warning", hidden: true });
  const result = h("section", { class: "result", "aria-label": t("result.title"), hidden: true });
  const list = h("ol", { class: "moves", "aria-label": t("play.moves") });
  const settleList = roving(list, "button");
  const chooser = createChooser((start) => setUp(start));
  const text = positionField((value) => setUp(value));
  const seats = [0, 1].map((seat) => select(SEATS.map((name) => [name, t(`player.${name}`)]), game.players[seat], (name) => {
    game.players[seat] = name;
    take(game);
    rememberGame();
  }));
  const marks = h("input", { type: "checkbox", on: { change: () => { marked = marks.checked; show(); } } });
  const levels = h("div", { class: "quiet levels" });
  const file = h("input", { type: "file", accept: ".txt,.chomp,text/plain", hidden: true,
    on: { change: () => file.files[0] && load(file.files[0]) } });
  const buttons = {
    hint: button(t("play.hint"), hint),
    undo: button(t("play.undo"), () => playFrom(countBefore(game))),
    pause: button(t("play.pause"), () => { paused = !paused; go(); }),
    draw: button(t("play.draw"), () => { shaping = !shaping; refresh(); }),
    again: button(t("play.again"), () => setUp(game.start)),
    judge: button(t("play.judge"), judge),
    save: button(t("play.save"), save),
    load: button(t("play.load"), () => file.click()),
    analyse: button(t("play.analyse"), () => analysePosition(shownOf(game).text)),
    here: button(t("play.here"), () => playFrom(game.at)),
    link: button(t("share.link"), () => { remember(game.start, linkOf(game)); copyLink(); }),
    picture: button(t("share.picture"), () => copyPicture(shownOf(game))),
  };
  const steps = [["first", "«", () => 0], ["back", "‹", () => game.at - 1],
    ["forward", "›", () => game.at + 1], ["last", "»", () => game.moves.length]].map(
    ([name, face, to]) => button(face, () => view(to()), { "aria-label": t(`play.${name}`), class: "small" }));

  const element = h("div", { class: "play columns" },
    h("section", { class: "card main", "aria-label": t("play.board") },
      rules.element, status, last, complaints.element, warning, surface.element, result,
      h("div", { class: "tools", role: "group", "aria-label": t("play.tools") },
        buttons.hint, buttons.undo, buttons.pause, buttons.here, buttons.again)),
    h("div", { class: "side" },
      card(t("play.setup"), field(t("play.game"), chooser.element), field(t("play.position"), text),
        h("div", { class: "pair" }, field(t("play.firstSeat"), seats[0]), field(t("play.secondSeat"), seats[1])), levels,
        h("label", { class: "check" }, marks, h("span", {}, t("play.marks"))),
        tools(buttons.draw, buttons.analyse, buttons.link, buttons.picture)),
      card(t("play.moves"), list, tools(steps, buttons.judge), tools(buttons.save, buttons.load, file))));

  /** Begin a game that was chosen on this page. */
  function setUp(start, players = game.players) {
    if (take(newGame(start, players))) rememberGame();
  }

  /** Begin or continue a game, unless its start is no position. Returns whether it did. */
  function take(next) {
    if (!next.start.includes(":")) {
      refuse(next.start);
      return false;
    }
    stop();
    game = next;
    result.replaceChildren();
    paused = game.players.every(isBot);
    warn();
    go();
    return true;
  }

  /** Refuse a text that is not a position, and offer those that the oracle suggests. */
  function refuse(text) {
    refresh();
    complaints.show(t("error.text", { text: text.slice(0, 60) }));
    suggesting.restart((signal) => outcomeAt(text, { patient: false, signal }));
  }

  function rememberGame() {
    const [first, second] = game.players;
    remember(game.start, { first, second });
  }

  /** Warn before the first move of a game that the person cannot win. */
  async function warn() {
    warning.hidden = true;
    const { start, players: [first, second] } = game;
    const isAsked = () => game.start === start && !game.moves.length && game.players[0] === "you" && isBot(game.players[1]);
    if (!isAsked()) return;
    const outcome = await outcomeAt(start, { patient: false }).catch(() => "?");
    if (outcome !== "P" || !isAsked()) return;
    warning.replaceChildren(h("p", {}, t("play.lost")), button(t("play.swap"), () => setUp(start, [second, first])));
    warning.hidden = false;
  }

  function stop() {
    work.stop();
    suggesting.stop();
    hinted = false;
    shaping = shaping && game.moves.length === 0;
    complaints.clear();
  }

  /** The analysis of a position, or null if the oracle has not given it. */
  const known = (position) => (analysis?.text === position.text ? analysis : null);

  /** Whether the page waits for the oracle's list of moves. */
  const isAwaited = () => !game.position.local && !known(game.position) && moverWon(game.position) === null;

  /** Ask for what the next step needs, then end the game, show it, or let a bot move. */
  function go() {
    failed = false;
    refresh();
    keep("game", { start: game.start, players: game.players, moves: game.moves });
    return work.run(async (signal) => {
      if (isAwaited()) await askMoves(signal);
      const won = moverWon(game.position, known(game.position));
      if (won !== null) end(won);
      else if (isPersons(game) || shaping) show();
      else if (!paused && isLive(game)) await letMove(signal);
    });
  }

  async function letMove(signal) {
    const began = performance.now();
    const count = game.moves.length;
    const move = await choose(game.players[turnOf(game)], game.position, { signal });
    await new Promise((resolve) => { setTimeout(resolve, pace - (performance.now() - began)); });
    if (!signal.aborted && game.moves.length === count) make(move);
  }

  async function askMoves(signal) {
    analysis = await analyse(game.position, { signal });
    // From here on the game uses the oracle's canonical text of the position.
    if (known(game.position)) return;
    game.position = readPosition(analysis.text);
    if (!game.moves.length) game.start = analysis.text;
  }

  function end(won) {
    const isNew = game.winner === null;
    game.winner = won ? turnOf(game) : 1 - turnOf(game);
    refresh();
    if (isNew || !result.childElementCount) drawResult();
    if (!isNew) return;
    say(resultWords(game));
    // The cell with the focus may no longer exist.
    if (document.activeElement === document.body || surface.element.contains(document.activeElement)) {
      buttons.again.focus({ preventScroll: true });
    }
    if (hasOneBot(game)) judge();
  }

  function onMove(move) {
    if (!isPersons(game) || !isLive(game)) {
      tell(t(game.winner !== null ? "play.over" : isLive(game) ? "play.notYourTurn" : "play.lookingBack"));
    } else if (move) {
      stop();
      make(move);
      surface.focus();
    } else if (!isAwaited()) tell(t("play.illegal"));
  }

  function make(move) {
    const player = seatName(game, turnOf(game));
    addMove(game, move);
    hinted = false;
    warning.hidden = true;
    say(t("play.said", { player, move: wordsOf(move) }));
    go();
  }

  function playFrom(count) {
    stop();
    cutAt(game, count);
    go();
  }

  /** The analysis of the position on the board; null if the board shows another position by then. */
  async function analyseShown(signal) {
    const { text } = shownOf(game);
    const found = await analyse(shownOf(game), { signal });
    if (shownOf(game).text !== text) return null;
    analysis = { ...found, text };
    return analysis;
  }

  /** Show the board, and mark the outcome of every move if the person wants marks. */
  function show() {
    refresh();
    if (marked) work.run(async (signal) => { if (await analyseShown(signal)) refresh(); });
  }

  async function hint() {
    buttons.hint.disabled = true;
    status.textContent = t("analyse.asking");
    await work.run(async (signal) => {
      const found = await analyseShown(signal);
      if (!found) return;
      hinted = true;
      refresh();
      status.textContent = hintWords(found);
      say(status.textContent);
      if (found.wins?.length) surface.go(found.wins[0]);
    });
    buttons.hint.disabled = game.winner !== null && isLive(game);
  }

  async function judge() {
    buttons.judge.disabled = true;
    await work.run(async (signal) => {
      await judgeGame(game.start, game.moves, (at, judgement) => {
        game.judged[at] = judgement;
        if (at % 8 === 0) drawList();
      }, { signal });
      drawList();
      drawResult();
      const said = t("judge.done", { n: game.judged.filter((each) => each.verdict === "mistake").length });
      (game.winner === null ? tell : say)(said);
    });
    buttons.judge.disabled = false;
  }

  async function drawResult() {
    const { winner, moves: { length }, start } = game;
    result.hidden = winner === null || !isLive(game);
    if (result.hidden) return;
    const found = await rulesOf(readPosition(start));
    if (game.winner !== winner || game.moves.length !== length) return;
    result.replaceChildren(...resultOf(game, found, { view, explain: (at) => analysePosition(positionAt(game.start, game.moves, at).text) }));
  }

  function save() {
    const comments = game.judged.map((each) => (each ? commentOf(each) : ""));
    download("game.txt", new Blob([writeRecord(game, comments)], { type: "text/plain" }));
    tell(t("record.saved"));
  }

  function load(from) {
    work.run(async (signal) => {
      const read = await readRecord(await from.text(), { signal }).catch((error) => {
        if (!(error instanceof RecordError)) throw error;
        complaints.show(t(error.key, error.values));
      });
      if (!read || !take({ ...newGame(read.start, read.players.map(seatOf), read.moves), at: 0 })) return;
      rememberGame();
      tell(t("record.loaded", { n: game.moves.length }));
    });
    file.value = "";
  }

  function view(at) {
    game.at = Math.max(0, Math.min(game.moves.length, at));
    hinted = false;
    if (isLive(game)) go();
    else show();
    say(game.at ? t("play.at", { number: game.at, move: wordsOf(game.moves[game.at - 1]) }) : t("play.atStart"));
  }

  function statusWords() {
    if (shaping) return t(game.position.kind === "strip" ? "play.shapingStrip" : "play.shaping");
    if (!isLive(game)) return t("play.lookingAt", { number: game.at, all: game.moves.length });
    if (game.winner !== null) return resultWords(game);
    const player = seatName(game, turnOf(game));
    if (!isPersons(game)) return t(paused ? "play.pausedAt" : "play.thinking", { player });
    if (isAwaited()) return t(failed ? "analyse.failed" : "analyse.asking");
    return hasOneBot(game) ? t("play.yourTurn") : t("play.turn", { player });
  }

  function refresh() {
    const position = shownOf(game);
    const isOver = game.winner !== null && isLive(game);
    surface.show(position, { analysis: known(position), marks: (hinted || marked) && { onlyWins: !marked },
      shaping, still: !isPersons(game) || !isLive(game), from: readPosition(game.start) });
    rules.show(readPosition(game.start));
    status.textContent = statusWords();
    const before = game.at ? game.moves[game.at - 1] : null;
    last.textContent = before && !shaping ? t("play.moved", { player: seatName(game, (game.at - 1) % 2), move: wordsOf(before) }) : "";
    text.value = game.start;
    chooser.show(readPosition(game.start));
    seats.forEach((seat, at) => { seat.value = game.players[at]; });
    levels.replaceChildren(...[...new Set(game.players.filter(isBot))].map((name) =>
      h("p", {}, h("strong", {}, t(`player.${name}`)), ` ${t(`level.${name}`)}`)));
    buttons.undo.disabled = !game.moves.length;
    buttons.pause.hidden = !game.players.every(isBot) || game.winner !== null;
    buttons.pause.textContent = t(paused ? "play.go" : "play.pause");
    buttons.hint.disabled = isOver;
    buttons.again.classList.toggle("primary", game.winner !== null);
    buttons.here.hidden = isLive(game);
    buttons.draw.hidden = !isDrawn(position) || game.moves.length > 0;
    buttons.draw.setAttribute("aria-pressed", String(shaping));
    buttons.draw.textContent = t(shaping ? "play.drawn" : "play.draw");
    buttons.judge.hidden = !game.moves.length;
    result.hidden = !isOver || !result.childElementCount;
    steps.forEach((step, at) => { step.disabled = at < 2 ? game.at === 0 : isLive(game); });
    drawList();
  }

  function drawList() {
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...game.moves.map((move, at) => {
      const said = game.judged[at];
      return h("li", { class: said?.verdict ?? "" }, button(wordsOf(move), () => view(at + 1),
        { "aria-current": game.at === at + 1 ? "step" : null, title: move.child }),
      said ? h("span", { class: "verdict" }, verdictWords(said)) : null);
    }));
    settleList();
    const current = list.querySelector("[aria-current]");
    if (focused) current?.focus();
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }

  /** Make the moves of an address, up to the first that is no move. */
  function replay(next, texts, at) {
    game = next;
    // Until the moves are made, the board shows the new game and accepts no move.
    surface.show(next.position, { still: true });
    work.run(async (signal) => {
      const { moves, wrong } = await movesFrom(next.start, movesOfLink(next.start, texts), { signal });
      const isTaken = take({ ...newGame(next.start, next.players, moves), at: Math.max(0, Math.min(Math.trunc(at ?? moves.length) || 0, moves.length)) });
      if (isTaken && wrong) complaints.show(t("record.noMove", wrong));
    });
  }

  return {
    element,
    /** Show the game of an address. Go on from where it was left. */
    open(start, { first = PLAYERS[0], second = PLAYERS[1], pace: wanted, moves, at } = {}) {
      const players = [first, second].map(seatOf);
      if (wanted !== undefined) pace = Math.max(0, Math.min(5000, Number(wanted) || 0));
      const from = start ? readPosition(start).text : game.start;
      const isSame = (other) => other?.start === from && String(other.players) === String(players);
      if (isSame(game) && game.moves.length && !moves) return;
      stop();
      const left = kept("game");
      rules.open(left?.start !== from);
      if (moves) replay(newGame(from, players), moves, at === undefined ? undefined : Number(at));
      else take(newGame(from, players, isSame(left) ? left.moves : []));
    },
  };
}

const seatOf = (name) => (SEATS.includes(name) ? name : "you");

function hintWords({ outcome, wins }) {
  const [best] = wins ?? [];
  const key = best ? "play.hintWins" : { "?": "play.hintUnknown", N: "play.hintSome" }[outcome] ?? "play.hintNone";
  return t(key, { move: best ? wordsOf(best) : "" });
}
