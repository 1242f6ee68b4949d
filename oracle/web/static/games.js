// The games with their rules in words, as the server has them, and the rules of any position.

import { h } from "./dom.js";
import { ask, OracleError, getJson } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { lossOf, t, wordsOfGame } from "./text.js";
import { picture } from "./views/picture.js";

/** Where a newcomer begins. */
export const FIRST = "chomp:4/4/4";

let listed = null;
const byGame = new Map();

/** The games as [{title, start, rules, loses, note}]; empty where the server cannot be reached. */
export function loadGames() {
  listed ??= getJson("/games.json").then(({ games }) => games.map(wordsOfGame), (error) => {
    listed = null;
    if (error instanceof OracleError) return [];
    throw error;
  });
  return listed;
}

/** The rules of the game of a position, or null where they cannot be told. */
export async function rulesOf(position) {
  const key = gameKey(position);
  const known = (await loadGames()).find((game) => gameKey(readPosition(game.start)) === key);
  if (known) return known;
  if (!byGame.has(key)) {
    const found = getJson(`/games.json?position=${encodeURIComponent(position.text)}`).then(({ games: [game] }) => game, () => null);
    byGame.set(key, found);
  }
  return byGame.get(key);
}

function gameKey(position) {
  if (position.kind === "sum") return `${position.game} ${position.components.map(gameKey)}`;
  return `${position.game ?? position.text.split(":")[0]};${position.passes};${position.dimensions ?? 0}${position.heaps && /^wythoff/.test(position.game) ? position.heaps.length : ""}`;
}

/** Whether boards of a position are drawn by clicking. */
export function isDrawn(position) {
  return Boolean(position.reshaped) && (position.kind === "board" || position.kind === "strip");
}

/** A panel with the rules of a position: words, and a picture whose first move comes and goes. */
export function createRules() {
  const element = h("div", { class: "rules" });
  let shown = "";
  return {
    element,
    async show(position) {
      const key = gameKey(position);
      if (key === shown) return;
      shown = key;
      const game = await rulesOf(position);
      if (shown !== key) return;
      if (!game) {
        element.replaceChildren(h("p", { class: "quiet" }, t("rules.none")));
        return;
      }
      const start = readPosition(game.start || position.text);
      const moves = start.moves && start.local !== false && start.count < 1000 ? [...start.moves()].filter((move) => !move.isPass) : [];
      const move = moves[Math.floor(moves.length * 0.6)] ?? {};
      const drawn = picture(start, { action: move.action, component: move.component, label: t("rules.picture", { title: game.title }) });
      element.replaceChildren(...[drawn, h("div", {}, h("h2", {}, game.title), h("p", {}, game.rules),
        h("p", {}, h("strong", {}, lossOf(game))),
        game.note && h("p", { class: "quiet" }, game.note))].filter(Boolean));
    },
  };
}
