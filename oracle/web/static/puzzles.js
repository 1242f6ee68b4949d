// Puzzles: positions with a single winning move. They are drawn for a day or one after another, until the oracle
// confirms one of the chosen difficulty.

import { createComplaints } from "./complaints.js";
import { button, card, field, h, say, select, tools } from "./dom.js";
import { createRules } from "./games.js";
import { analyse } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { copyLink } from "./share.js";
import { t } from "./text.js";
import { createSurface } from "./views/surface.js";
import { wordsOf } from "./words.js";
import { createWork } from "./work.js";

const MOST_TRIES = 80;

/** By difficulty: the least and greatest number of legal moves, and the least number of plies to the end. */
export const DIFFICULTIES = { easy: [3, 9, 1], medium: [8, 18, 5], hard: [14, 80, 7] };
const SIZES = { easy: 0, medium: 1, hard: 2 };

/** Random positions of each family. `some(n)` is a whole number from 1 to n. */
const DRAWN = {
  chomp: (size, some) => {
    const rows = Array.from({ length: 2 + size + some(2) - 1 }, () => some(3 + 2 * size));
    return `chomp:${rows.sort((one, other) => other - one).join("/")}`;
  },
  nim: (size, some) => `nim:[${[0, 1, 2].map(() => some([4, 8, 20][size])).join()}]`,
  wythoff: (size, some) => `wythoff:[${[0, 1].map(() => some([5, 9, 30][size])).join()}]`,
  kayles: (size, some) => `kayles:[${Array.from({ length: 2 + (size > 1 ? 1 : 0) }, () => some([3, 6, 9][size])).join()}]`,
  divisors: (size, some) => `divisors:2^${some(1 + size)}*3^${some(1 + size)}${size ? `*5^${some(size)}` : ""}`,
};
export const FAMILIES = Object.keys(DRAWN);

/** Numbers that depend on a text alone: `some(n)` is from 1 to n. */
function drawing(seed) {
  let state = [...seed].reduce((sum, character) => Math.imul(sum ^ character.charCodeAt(0), 16777619), 2166136261);
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return 1 + ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

/** Whether a position has a single winning move and the right difficulty. */
export function isPuzzle({ outcome, wins, moves, complete, values }, difficulty) {
  const [least, most, plies] = DIFFICULTIES[difficulty];
  return outcome === "N" && wins?.length === 1 && complete && moves.length >= least && moves.length <= most
    && Number(values.remoteness ?? plies) >= plies;
}

/** The text of the puzzle for a family, a difficulty and a seed; null if none was found. */
export async function puzzleOf(family, difficulty, seed, options) {
  const some = drawing(`${family} ${difficulty} ${seed}`);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const position = readPosition(DRAWN[family](SIZES[difficulty], some));
    const analysis = await analyse(position, options);
    if (isPuzzle(analysis, difficulty)) return analysis.text;
  }
  return null;
}

/** The view. `remember(position, options)` puts a puzzle in the address. */
export function createPuzzles({ remember, analysePosition, playPosition }) {
  let position = null;
  let analysis = null;
  let solved = false;
  const state = { family: FAMILIES[0], level: "easy" };

  const work = createWork((error) => {
    status.textContent = "";
    complaints.error(error);
  });
  const surface = createSurface({ onMove });
  const rules = createRules();
  rules.open(true);
  const status = h("p", { class: "status", id: "puzzle", role: "status" });
  const answer = h("div", { class: "answer" });
  const complaints = createComplaints({ onAgain: () => draw() });
  const chosen = (key) => (value) => { state[key] = value; draw(); };
  const family = select(FAMILIES.map((each) => [each, t(`puzzle.${each}`)]), state.family, chosen("family"));
  const level = select(Object.keys(DIFFICULTIES).map((each) => [each, t(`puzzle.level.${each}`)]), state.level, chosen("level"));
  const buttons = {
    next: button(t("puzzle.next"), () => draw(String(Math.floor(Math.random() * 1e9)))),
    show: button(t("puzzle.show"), () => solve()),
    link: button(t("share.link"), copyLink),
    play: button(t("puzzle.play"), () => playPosition(position.text)),
    analyse: button(t("play.analyse"), () => analysePosition(position.text)),
  };
  const element = h("div", { class: "puzzles columns" },
    h("section", { class: "card main", "aria-label": t("view.puzzle") }, status, complaints.element, surface.element, answer,
      tools(buttons.next, buttons.show, buttons.link, buttons.play, buttons.analyse)),
    h("div", { class: "side" },
      card(t("puzzle.choose"), h("p", { class: "quiet" }, t("puzzle.about")),
        field(t("play.game"), family), field(t("puzzle.level"), level),
        tools(button(t("puzzle.today"), () => draw()))),
      h("section", { class: "card" }, rules.element)));

  const today = () => new Date().toISOString().slice(0, 10);

  function draw(seed = today()) {
    start(async (signal) => {
      status.textContent = t("puzzle.drawing");
      const text = await puzzleOf(state.family, state.level, seed, { signal });
      if (text) {
        remember(text, state);
        await show(text, signal);
      } else status.textContent = t("puzzle.none");
    });
  }

  function start(task) {
    complaints.clear();
    answer.replaceChildren();
    work.restart(task);
  }

  async function show(text, signal) {
    position = readPosition(text);
    analysis = null;
    solved = false;
    family.value = state.family;
    level.value = state.level;
    refresh();
    rules.show(position);
    analysis = await analyse(position, { signal });
    if (analysis.text !== position.text) position = readPosition(analysis.text);
    const n = analysis.wins?.length ?? 0;
    status.textContent = t(["puzzle.noneHere", "puzzle.find"][n] ?? "puzzle.findOne", { n });
    refresh();
  }

  function refresh() {
    surface.show(position, { analysis, marks: solved && {} });
    for (const name of ["play", "analyse", "show", "link"]) buttons[name].disabled = !analysis;
  }

  function onMove(move) {
    if (!move || !analysis || solved) return;
    const { child } = move;
    if ((analysis.wins ?? []).some((each) => each.child === child)) {
      solve(t("puzzle.right"));
      return;
    }
    status.textContent = t("puzzle.wrong");
    work.run(async (signal) => {
      const { wins } = await analyse(readPosition(child), { signal });
      if (solved) return;
      answer.replaceChildren(h("p", {}, wins?.length ? t("puzzle.reply", { move: wordsOf(wins[0]) }) : t("puzzle.lostAtOnce")));
      say(`${status.textContent} ${answer.textContent}`);
    });
  }

  function solve(words = t("puzzle.solution")) {
    solved = true;
    const [best] = analysis.wins ?? [];
    status.textContent = words;
    answer.replaceChildren(h("p", {}, best ? t("puzzle.was", { move: wordsOf(best), n: Number(analysis.values.remoteness ?? 0) }) : t("puzzle.noneHere")));
    say(words);
    refresh();
    buttons.next.focus({ preventScroll: true });
  }

  return {
    element,
    open(text, { family: from, level: hard } = {}) {
      if (FAMILIES.includes(from)) state.family = from;
      if (DIFFICULTIES[hard]) state.level = hard;
      if (text && position?.text === readPosition(text).text && analysis) return;
      if (text) start((signal) => show(text, signal));
      else draw();
    },
  };
}
