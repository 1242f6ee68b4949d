// Play: a game against the oracle, against a friend, or between bots.

import { LEVELS, choose } from "./bots.js";
import { createComplaints } from "./complaints.js";
import { button, download, field, h, roving, say, select, tell } from "./dom.js";
import { FIRST, createChooser, createRules, isDrawn, rulesOf } from "./games.js";
import { commentOf, judgeGame } from "./judge.js";
import { keep, kept } from "./kept.js";
import { marker } from "./marks.js";
import { afterMove, childOf, isLocal, moverWon, positionAt } from "./moves.js";
import { OracleError, analyse, outcomeAt } from "./oracle.js";
import { RecordError, readRecord, writeRecord } from "./record.js";
import { readPosition } from "./rules/position.js";
import { copyLink, copyPicture } from "./share.js";
import { lossOf, t } from "./text.js";
import { createSurface } from "./views/surface.js";
import { wordsOf } from "./words.js";

const PACE_MS = 450;
const PLAYERS = ["you", "easy"];
const MOST_IN_LINK = 60;

/** The view; `remember(position, options)` puts a game in the address. */
export function createPlay({ remember, analysePosition, onToken }) {
  let game = newGame(FIRST, PLAYERS);
  let analysis = null;
  let hinted = false;
  let marked = false;
  let shaping = false;
  let paused = false;
  let pace = PACE_MS;
  let running = new AbortController();

  const surface = createSurface({ onMove, onShape: (text) => setUp(text) });
  const rules = createRules();
  const status = h("p", { class: "status", id: "turn" });
  const last = h("p", { class: "quiet last" });
  const title = h("h2", { class: "gametitle" });
  const help = button("?", () => showRules(rules.element.hidden), { class: "small help", "aria-label": t("rules.button"), title: t("rules.button") });
  const complaints = createComplaints({ onTake: (text) => setUp(text), onAgain: () => { stop(); go(); }, onToken });
  const warning = h("div", { class: "warning", hidden: true });
  const result = h("section", { class: "result", "aria-label": t("result.title"), hidden: true });
  const list = h("ol", { class: "moves", "aria-label": t("play.moves") });
  const settleList = roving(list, "button");
  const chooser = createChooser((start) => setUp(start));
  const text = h("input", { type: "text", spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", on: { change: () => setUp(text.value) } });
  const names = ["you", ...LEVELS].map((name) => [name, t(`player.${name}`)]);
  const seats = [0, 1].map((seat) => select(names, game.players[seat], (name) => {
    game.players[seat] = name;
    seatChanged();
  }));
  const marks = h("input", { type: "checkbox", on: { change: () => {
    marked = marks.checked;
    refresh();
    if (marked) showMarks();
  } } });
  const levels = h("div", { class: "quiet levels" });
  const file = h("input", { type: "file", accept: ".txt,.chomp,text/plain", hidden: true,
    on: { change: () => file.files[0] && load(file.files[0]) } });
  const buttons = {
    hint: button(t("play.hint"), hint),
    undo: button(t("play.undo"), undo),
    pause: button(t("play.pause"), () => { paused = !paused; refresh(); if (!paused) go(); }),
    draw: button(t("play.draw"), () => { shaping = !shaping; refresh(); }),
    again: button(t("play.again"), () => setUp(game.start)),
    judge: button(t("play.judge"), judge),
    save: button(t("play.save"), save),
    load: button(t("play.load"), () => file.click()),
    analyse: button(t("play.analyse"), () => analysePosition(shown().text)),
    here: button(t("play.here"), continueHere),
    link: button(t("share.link"), link),
    picture: button(t("share.picture"), () => copyPicture(shown())),
  };
  const steps = [["first", "«", () => 0], ["back", "‹", () => game.at - 1],
    ["forward", "›", () => game.at + 1], ["last", "»", () => game.moves.length]].map(
    ([name, face, to]) => button(face, () => view(to()), { "aria-label": t(`play.${name}`), class: "small" }));

  const element = h("div", { class: "play columns" },
    h("section", { class: "card main", "aria-label": t("play.board") },
      h("div", { class: "head" }, title, help), rules.element, status, last, complaints.element, warning, surface.element, result,
      h("div", { class: "tools", role: "group", "aria-label": t("play.tools") },
        buttons.hint, buttons.undo, buttons.pause, buttons.here, buttons.again)),
    h("div", { class: "side" },
      h("section", { class: "card", "aria-label": t("play.setup") }, h("h2", {}, t("play.setup")),
        field(t("play.game"), chooser.element), field(t("play.position"), text),
        h("div", { class: "pair" }, field(t("play.firstSeat"), seats[0]), field(t("play.secondSeat"), seats[1])), levels,
        h("label", { class: "check" }, marks, h("span", {}, t("play.marks"))),
        h("div", { class: "tools" }, buttons.draw, buttons.analyse, buttons.link, buttons.picture)),
      h("section", { class: "card", "aria-label": t("play.moves") }, h("h2", {}, t("play.moves")), list,
        h("div", { class: "tools" }, ...steps, buttons.judge),
        h("div", { class: "tools" }, buttons.save, buttons.load, file))));

  function newGame(start, players) {
    const position = readPosition(start);
    return { start: position.text, position, players: [...players], moves: [], at: 0, winner: null, judged: [] };
  }

  /** The position on the board: the last one, or an earlier one that is looked at again. */
  function shown() {
    return game.at === game.moves.length ? game.position : positionAt(game.start, game.moves, game.at);
  }

  /** Whether the moves of the position are the oracle's, and not there yet. */
  const isAwaited = () => !isLocal(game.position) && !analysis && moverWon(game.position) === null;
  const turn = () => game.moves.length % 2;
  const isBot = (name) => name !== "you";
  const isPersons = () => game.winner === null && game.players[turn()] === "you";
  const isLive = () => game.at === game.moves.length;
  const withOneBot = () => game.players.filter(isBot).length === 1;

  function showRules(wanted) {
    rules.element.hidden = !wanted;
    help.setAttribute("aria-expanded", String(wanted));
  }

  function setUp(start, players = game.players, { keepHash = false } = {}) {
    const wanted = readPosition(start);
    if (wanted.kind === "text" && !/:/.test(start)) {
      complaints.show(t("error.text", { text: start.slice(0, 60) }));
      return;
    }
    stop();
    game = newGame(start, players);
    paused = players.every(isBot);
    if (!keepHash) remember(game.start, { first: players[0], second: players[1] });
    warn();
    go();
  }

  function seatChanged() {
    stop();
    remember(game.start, { first: game.players[0], second: game.players[1] });
    paused = game.players.every(isBot);
    warn();
    go();
  }

  /** Say it before the first move where nobody who begins here can win. */
  async function warn() {
    warning.hidden = true;
    const { start, players } = game;
    if (players[0] !== "you" || !isBot(players[1])) return;
    const outcome = await outcomeAt(start, { patient: false }).catch(() => "?");
    if (outcome !== "P" || game.start !== start || game.moves.length || game.players[0] !== "you") return;
    warning.replaceChildren(h("p", {}, t("play.lost")), button(t("play.swap"), () => setUp(start, [players[1], "you"])));
    warning.hidden = false;
  }

  function stop() {
    running.abort();
    running = new AbortController();
    analysis = null;
    hinted = false;
    shaping = shaping && game.moves.length === 0;
    complaints.clear();
  }

  /** Take up the game where it stands: ask what must be known, let a bot move. */
  async function go() {
    const { signal } = running;
    refresh();
    store();
    try {
      if (isAwaited()) await askMoves(signal);
      if (signal.aborted) return;
      const won = moverWon(game.position, analysis);
      if (won !== null) {
        end(won);
        return;
      }
      if (isPersons() || shaping) {
        refresh();
        if (marked) showMarks();
        return;
      }
      if (paused) return;
      const began = performance.now();
      const move = await choose(game.players[turn()], game.position, { signal });
      await new Promise((resolve) => { setTimeout(resolve, pace - (performance.now() - began)); });
      if (signal.aborted) return;
      make(move);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
  }

  async function askMoves(signal) {
    analysis = await analyse(game.position, { signal });
    // The oracle's canonical text is the position's name from here on.
    if (signal.aborted || analysis.text === game.position.text) return;
    game.position = readPosition(analysis.text);
    if (!game.moves.length) game.start = analysis.text;
  }

  function failed(error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof OracleError)) throw error;
    complaints.error(error);
    refresh();
  }

  function end(won) {
    game.winner = won ? turn() : 1 - turn();
    refresh();
    store();
    say(resultWords());
    drawResult();
    // The cell that had the focus may be gone.
    if (document.activeElement === document.body || surface.element.contains(document.activeElement)) {
      buttons.again.focus({ preventScroll: true });
    }
    if (withOneBot()) judge();
  }

  function onMove(action, component, known) {
    if (!isPersons() || !isLive() || shaping) {
      tell(t(game.winner !== null ? "play.over" : isLive() ? "play.notYourTurn" : "play.lookingBack"));
      return;
    }
    if (isAwaited()) return;
    const child = known?.child ?? childOf(game.position, action, component, analysis);
    if (child === null) {
      tell(t("play.illegal"));
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
    warning.hidden = true;
    say(t("play.said", { player: seatName(mover), move: wordsOf(move) }));
    go();
  }

  function undo() {
    stop();
    const back = withOneBot() && game.players[turn()] === "you" && game.winner === null ? 2 : 1;
    game.moves.length = Math.max(0, game.moves.length - back);
    // A finished game may have been ended by either player: stop where a person is to move.
    while (withOneBot() && game.moves.length && game.players[turn()] !== "you") game.moves.pop();
    resume();
  }

  function continueHere() {
    stop();
    game.moves.length = game.at;
    resume();
  }

  function resume() {
    game.at = game.moves.length;
    game.position = positionAt(game.start, game.moves, game.at);
    game.winner = null;
    game.judged.length = Math.min(game.judged.length, game.at);
    go();
  }

  /** Mark every move by who wins after it, as long as this is wanted. */
  async function showMarks() {
    const position = shown();
    try {
      const found = await analyse(position, { signal: running.signal });
      if (shown().text !== position.text || !marked) return;
      analysis = found;
      refresh();
    } catch (error) {
      failed(error);
    }
  }

  async function hint() {
    const position = shown();
    buttons.hint.disabled = true;
    status.textContent = t("analyse.asking");
    try {
      const found = await analyse(position, { signal: running.signal });
      if (shown().text !== position.text) return;
      analysis = found;
      hinted = true;
      refresh();
      const [best] = found.wins ?? [];
      const key = found.outcome === "?" && !best ? "play.hintUnknown" : best ? "play.hintWins" : found.outcome === "N" ? "play.hintSome" : "play.hintNone";
      const words = t(key, { move: best ? wordsOf(best) : "" });
      say(words);
      status.textContent = words;
      if (best?.action) surface.go(best.action, best.component);
    } catch (error) {
      failed(error);
    } finally {
      buttons.hint.disabled = game.winner !== null && isLive();
    }
  }

  async function judge() {
    const { signal } = running;
    buttons.judge.disabled = true;
    try {
      await judgeGame(game.start, game.moves, (at, judgement) => {
        game.judged[at] = judgement;
        if (at % 8 === 0) drawList();
      }, { signal });
      drawList();
      drawResult();
      const mistakes = game.judged.filter((each) => each?.verdict === "mistake").length;
      say(t("judge.done", { n: mistakes }));
      if (game.winner === null) tell(t("judge.done", { n: mistakes }));
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    buttons.judge.disabled = false;
  }

  /** Who has won, why, and where the game was decided. */
  async function drawResult() {
    const { winner, moves, judged, start } = game;
    result.hidden = winner === null || !isLive();
    if (result.hidden) return;
    const found = await rulesOf(readPosition(start));
    if (game.winner !== winner || game.moves.length !== moves.length) return;
    const you = game.players.indexOf("you");
    const mistakes = judged.flatMap((each, at) => (each?.verdict === "mistake" ? [at] : []));
    const mine = mistakes.filter((at) => at % 2 === you);
    const key = !withOneBot() || judged.length < moves.length ? null : you === winner
      ? (mistakes.some((at) => at % 2 !== you) ? "result.theirs" : "result.clean")
      : mine.length ? "result.mine" : "result.hopeless";
    const at = (you === winner ? mistakes.filter((each) => each % 2 !== you) : mine).at(-1) ?? 0;
    const better = judged[at]?.better;
    result.replaceChildren(...[h("h2", {}, resultWords()),
      h("p", {}, whyWords(winner, found)),
      key && h("p", {}, t(key, { number: at + 1, n: judged[at]?.wins ?? 0, move: better ? wordsOf(better) : "" })),
      judged.length === moves.length && judged.length ? graph() : null,
      h("div", { class: "tools" },
        mine.length && key === "result.mine" ? button(t("result.show"), () => view(at)) : null,
        key === "result.mine" ? button(t("result.why"), () => analysePosition(positionAt(start, moves, at).text)) : null,
        h("a", { class: "button", href: "#games/" }, t("result.other")))].filter(Boolean));
  }

  function whyWords(winner, found) {
    const poison = ["board", "divisors", "boxes"].includes(game.position.kind) && !game.position.misere && !game.position.size;
    const loser = seatName(1 - winner);
    if (poison) return t(game.players[1 - winner] === "you" && withOneBot() ? "result.youPoison" : "result.poison", { player: loser });
    return found ? t("result.rule", { rule: lossOf(found) }) : "";
  }

  /** A bar for each move: up where you stood to win after it, down where you did not. */
  function graph() {
    const you = Math.max(0, game.players.indexOf("you"));
    const most = Math.max(1, ...game.judged.map((each) => Number(each.plies ?? 0)));
    return h("figure", {}, h("figcaption", { class: "quiet" }, t("result.graph")), h("ol", { class: "bars" }, game.judged.map((each, at) => {
      const moverWins = each.verdict === "wins";
      const isUp = each.verdict === "unknown" ? null : (at % 2 === you) === moverWins;
      const bar = button("", () => view(at + 1), { class: `bar ${isUp === null ? "unknown" : isUp ? "up" : "down"} ${each.verdict === "mistake" ? "error" : ""}`,
        title: `${at + 1}. ${wordsOf(game.moves[at])}: ${verdictWords(each)}`, "aria-label": `${at + 1}. ${wordsOf(game.moves[at])}: ${verdictWords(each)}` });
      bar.style.setProperty("--tall", `${10 + (26 * Number(each.plies ?? most / 2)) / most}px`);
      return h("li", {}, bar);
    })));
  }

  function save() {
    const comments = game.judged.map((each) => (each ? commentOf(each) : ""));
    download("game.txt", new Blob([writeRecord(game, comments)], { type: "text/plain" }));
    tell(t("record.saved"));
  }

  /** Copy an address that opens this game at the same move. */
  function link() {
    const prefix = `${game.start.split(":")[0]}:`;
    const moves = game.moves.slice(0, MOST_IN_LINK).map((move) => (move.isPass ? "pass"
      : move.child.startsWith(prefix) ? move.child.slice(prefix.length) : move.child));
    remember(game.start, { first: game.players[0], second: game.players[1],
      ...(moves.length && { moves: moves.join("~"), at: game.at }) });
    copyLink();
  }

  async function load(from) {
    stop();
    try {
      const read = await readRecord(await from.text(), { signal: running.signal });
      const players = read.players.map((name) => (names.some(([each]) => each === name) ? name : "you"));
      game = { ...newGame(read.start, players), moves: read.moves, winner: read.winner };
      game.position = positionAt(game.start, game.moves, game.moves.length);
      game.at = 0;
      paused = true;
      remember(game.start, { first: game.players[0], second: game.players[1] });
      refresh();
      store();
      tell(t("record.loaded", { n: game.moves.length }));
    } catch (error) {
      if (error instanceof RecordError) complaints.show(t(error.key, error.values));
      else failed(error);
    }
    file.value = "";
  }

  function view(at) {
    game.at = Math.max(0, Math.min(game.moves.length, at));
    hinted = false;
    refresh();
    if (marked) showMarks();
    say(game.at ? t("play.at", { number: game.at, move: wordsOf(game.moves[game.at - 1]) }) : t("play.atStart"));
  }

  const seatName = (seat) => (game.players.every((name) => name === "you")
    ? t(seat ? "player.second" : "player.first") : t(`player.${game.players[seat]}`));

  function resultWords() {
    return t(game.players[game.winner] === "you" && withOneBot() ? "play.youWon" : "play.won", { player: seatName(game.winner) });
  }

  function statusWords() {
    if (shaping) return t("play.shaping");
    if (!isLive()) return t("play.lookingAt", { number: game.at, all: game.moves.length });
    if (game.winner !== null) return resultWords();
    const who = seatName(turn());
    if (isPersons() && isAwaited()) return t("analyse.asking");
    if (isPersons()) return withOneBot() ? t("play.yourTurn") : t("play.turn", { player: who });
    return t(paused ? "play.pausedAt" : "play.thinking", { player: who });
  }

  function refresh() {
    const position = shown();
    const known = isLive() || hinted ? analysis : null;
    const mark = (hinted || marked) && analysis?.text === position.text ? marker(position, analysis, { onlyWins: !marked }) : null;
    surface.show(position, { mark, shaping, from: readPosition(game.start), moves: isLocal(position) ? [] : known?.moves,
      isMove: isPersons() && isLive() ? (action, component) => childOf(position, action, component, known) !== null : () => false,
      winning: mark ? analysis.wins ?? [] : [] });
    rules.show(position);
    rulesOf(position).then((found) => { title.textContent = found?.title ?? t("game.own"); });
    status.textContent = statusWords();
    const before = game.at ? game.moves[game.at - 1] : null;
    last.textContent = before && !shaping
      ? t("play.moved", { player: seatName((game.at - 1) % 2), move: wordsOf(before) }) : "";
    text.value = game.start;
    chooser.show(readPosition(game.start));
    seats.forEach((seat, at) => { seat.value = game.players[at]; });
    levels.replaceChildren(...[...new Set(game.players.filter(isBot))].map((name) =>
      h("p", {}, h("strong", {}, t(`player.${name}`)), ` ${t(`level.${name}`)}`)));
    buttons.undo.disabled = !game.moves.length;
    buttons.pause.hidden = !game.players.every(isBot) || game.winner !== null;
    buttons.pause.textContent = t(paused ? "play.go" : "play.pause");
    buttons.hint.disabled = game.winner !== null && isLive();
    buttons.again.classList.toggle("primary", game.winner !== null);
    buttons.here.hidden = isLive();
    buttons.draw.hidden = !isDrawn(position) || game.moves.length > 0;
    buttons.draw.setAttribute("aria-pressed", String(shaping));
    buttons.draw.textContent = t(shaping ? "play.drawn" : "play.draw");
    buttons.judge.hidden = !game.moves.length;
    if (game.winner === null || !isLive()) result.hidden = true;
    else if (result.childElementCount) result.hidden = false;
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
      said ? h("span", { class: "verdict" }, verdictWords(said)) : null);
    }));
    settleList();
    const current = list.querySelector("[aria-current]");
    if (focused !== null) current?.focus();
    if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }

  function verdictWords({ verdict, better, plies }) {
    const parts = [t(`judge.${verdict}`)];
    if (plies !== undefined && verdict !== "mistake") parts.push(t("judge.plies", { n: Number(plies) }));
    if (better) {
      parts.push(t({ mistake: "judge.better", wins: "judge.faster" }[verdict] ?? "judge.longer",
        { move: wordsOf(better), n: Number(better.values?.remoteness ?? 0) }));
    }
    return parts.join(" · ");
  }

  const store = () => keep("game", { start: game.start, players: game.players, moves: game.moves });

  function restore(start, players) {
    const last = kept("game");
    if (last?.start !== start || String(last.players) !== String(players)) return false;
    game = { ...newGame(start, players), moves: last.moves };
    resume();
    return true;
  }

  /** Make the moves of an address, as far as they are moves. */
  async function replay(moves, at) {
    const { signal } = running;
    try {
      for (const move of moves) {
        const named = move === "pass" || /^[a-z]\w*(\{[^}]*\})?:/.test(move) ? move : `${game.start.split(":")[0]}:${move}`;
        const found = await afterMove(game.position, named, { signal });
        if (signal.aborted || !found) break;
        game.moves.push(found);
        game.position = readPosition(found.child);
      }
      if (signal.aborted) return;
      game.at = Math.min(at ?? game.moves.length, game.moves.length);
      go();
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
  }

  return {
    element,
    /** Show the game that the address names. */
    open(start, { first = PLAYERS[0], second = PLAYERS[1], pace: wanted, moves, at } = {}) {
      const known = (name) => names.some(([each]) => each === name);
      const players = [first, second].map((name) => (known(name) ? name : "you"));
      if (wanted !== undefined) pace = Math.max(0, Math.min(5000, Number(wanted) || 0));
      const from = start ? readPosition(start).text : game.start;
      if (from === game.start && String(players) === String(game.players) && game.moves.length && !moves) return;
      stop();
      showRules(kept("game")?.start !== from);
      if (moves) {
        game = newGame(from, players);
        paused = players.every(isBot);
        replay(moves.split("~"), at === undefined ? undefined : Number(at));
      } else if (!restore(from, players)) setUp(from, players, { keepHash: true });
    },
  };
}
