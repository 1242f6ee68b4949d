// The games with their rules in words, as the server lists them, and the rules of any position.

import { button, h, select } from "./dom.js";
import { getJson, ifRefused } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { lossOf, t, wordsOfGame } from "./text.js";
import { picture } from "./views/picture.js";

/** The first game of a newcomer. */
export const FIRST = "chomp:4/4/4";
const LIST = "/v1/games?page_size=1000";

let listed = null;
const byGame = new Map();

/** The games as [{title, start, rules, loses, note, game, sources}]. */
export function loadGames() {
  listed ??= getJson(LIST).then(({ games }) => games.map(readGame), (error) => {
    listed = null;
    throw error;
  });
  return listed;
}

function readGame({ title, example, rules = "", losesWhen, note = "", game, sources = [] }) {
  return wordsOfGame({ title, start: example.text, rules, loses: losesWhen, note, game: game.text, sources });
}

/** The games, or an empty list if the server does not give it. */
export const knownGames = () => loadGames().catch(ifRefused([]));

/** The rules of the game of a position, or null if the server does not give them. */
export async function rulesOf(position) {
  const key = gameKey(position);
  const known = (await knownGames()).find((game) => gameKey(readPosition(game.start)) === key);
  if (known) return known;
  if (!byGame.has(key)) byGame.set(key, getJson(`/rules.json?position=${encodeURIComponent(position.text)}`));
  return byGame.get(key).catch((error) => {
    byGame.delete(key);
    return ifRefused(null)(error);
  });
}

/** A chooser of a game or of another position. */
export function createChooser(onChoose) {
  const element = select([["", t("game.own")]], "", (start) => start && onChoose(start));
  return {
    element,
    async show(position) {
      const games = await knownGames();
      if (element.length === 1) element.append(...games.map(({ start, title }) => h("option", { value: start }, title)));
      const isOf = (game, of) => of(readPosition(game.start)) === of(position);
      const title = games.find((game) => isOf(game, gameKey))?.title;
      element.options[0].text = title ? t("game.other", { title }) : t("game.own");
      element.value = games.find((game) => isOf(game, ({ text }) => text))?.start ?? "";
    },
  };
}

/** A key that is equal for positions of the same game. */
function gameKey({ kind, text, game = text.split(":")[0], components = [], passes, dimensions = 0 }) {
  return kind === "sum" ? `${game} ${components.map(gameKey)}` : `${game};${passes};${dimensions}`;
}

/** Whether a click can draw boards of this position. */
export function isDrawn(position) {
  return position.kind === "board" || position.kind === "strip";
}

/** The title and the rules of a position, behind a button: words, and a picture that shows its first move in turns. */
export function createRules() {
  const title = h("h2", { class: "gametitle" });
  const help = button("?", () => open(body.hidden), { class: "small help", "aria-label": t("rules.button"), title: t("rules.button") });
  const body = h("div", { class: "rules" });
  const element = h("div", {}, h("div", { class: "head" }, title, help), body);
  let shown = "";

  function open(wanted) {
    body.hidden = !wanted;
    help.setAttribute("aria-expanded", String(wanted));
  }

  open(false);
  return {
    element, open,
    async show(position) {
      const key = gameKey(position);
      if (key === shown) return;
      shown = key;
      const game = await rulesOf(position);
      if (shown !== key) return;
      title.textContent = game?.title ?? t("game.own");
      if (!game) {
        shown = "";
        body.replaceChildren(h("p", { class: "quiet" }, t("rules.none")));
        return;
      }
      // For a sum, the rules name its own components, not those of an example.
      const start = position.kind === "sum" || !game.start ? position : readPosition(game.start);
      const moves = start.local && start.count < 1000 ? [...start.moves()].filter((move) => !move.isPass) : [];
      const move = moves[Math.floor(moves.length * 0.6)] ?? {};
      const drawn = picture(start, { action: move.action, component: move.component, label: t("rules.picture", { title: game.title }) });
      body.replaceChildren(...[drawn, h("div", {}, h("p", {}, game.rules), h("p", {}, h("strong", {}, lossOf(game))),
        game.note && h("p", { class: "quiet" }, game.note))].filter(Boolean));
    },
  };
}
