// A game in progress: its moves, its players, and the move that the board shows.

import { positionAt } from "./moves.js";
import { readPosition } from "./rules/position.js";
import { t } from "./text.js";

/** Most moves that an address holds. */
const MOST_IN_LINK = 300;

/** {start, position, players, moves, at, winner, judged}. Seats are 0 and 1; the winner is a seat or null. */
export function newGame(start, players, moves = []) {
  const position = positionAt(start, moves, moves.length);
  return { start: readPosition(start).text, position, players: [...players], moves, at: moves.length, winner: null, judged: [] };
}

export const isBot = (name) => name !== "you";
export const turnOf = (game) => game.moves.length % 2;
export const isLive = (game) => game.at === game.moves.length;
export const hasOneBot = (game) => game.players.filter(isBot).length === 1;
/** Whether a person is to move. */
export const isPersons = (game) => game.winner === null && !isBot(game.players[turnOf(game)]);

/** The position on the board: the last one, or an earlier one that the person looks at. */
export function shownOf(game) {
  return isLive(game) ? game.position : positionAt(game.start, game.moves, game.at);
}

export function addMove(game, move) {
  game.moves.push(move);
  game.position = readPosition(move.child);
  game.at = game.moves.length;
}

/** Go back to an earlier number of moves, and play on from there. */
export function cutAt(game, count) {
  game.moves.length = Math.max(0, count);
  game.at = game.moves.length;
  game.position = positionAt(game.start, game.moves, game.at);
  game.winner = null;
  game.judged.length = Math.min(game.judged.length, game.at);
}

/** The number of moves left after a person takes one back. The answer of a bot goes, too. */
export function countBefore(game) {
  const back = hasOneBot(game) && isPersons(game) ? 2 : 1;
  let count = Math.max(0, game.moves.length - back);
  // In a finished game either player may have moved last: stop before a move of a person.
  while (hasOneBot(game) && count && isBot(game.players[count % 2])) count -= 1;
  return count;
}

export function seatName(game, seat) {
  return game.players.some(isBot) ? t(`player.${game.players[seat]}`) : t(seat ? "player.second" : "player.first");
}

export function resultWords(game) {
  return t(!isBot(game.players[game.winner]) && hasOneBot(game) ? "play.youWon" : "play.won", { player: seatName(game, game.winner) });
}

/** The options of an address that opens this game at the move shown. */
export function linkOf({ start, players: [first, second], moves, at }) {
  const prefix = prefixOf(start);
  const named = moves.slice(0, MOST_IN_LINK).map(({ isPass, child }) =>
    (isPass ? "pass" : child.startsWith(prefix) ? child.slice(prefix.length) : child));
  return { first, second, ...(named.length && { moves: named.join("~"), at }) };
}

/** The positions to which the moves of an address lead, or "pass". */
export function movesOfLink(start, text) {
  return text.split("~").map((move) => (move === "pass" || /^[a-z]\w*(\{[^}]*\})?:/.test(move) ? move : prefixOf(start) + move));
}

const prefixOf = (start) => `${start.split(":")[0]}:`;
