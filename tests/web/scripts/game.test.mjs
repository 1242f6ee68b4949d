// game.js: whose turn it is, what undo takes back, and what a link holds.

import assert from "node:assert/strict";
import test from "node:test";

import * as games from "../../../oracle/web/static/game.js";

const TEXTS = ["nim:[1,2,2]", "nim:[1,1,2]", "nim:[0,1,2]", "nim:[0,1,1]"];
const move = (child, isPass = false) => ({ child, isPass, action: null });

function played(players, count, start = "nim:[1,2,3]") {
  const game = games.newGame(start, players);
  for (const child of TEXTS.slice(0, count)) games.addMove(game, move(child));
  return game;
}

test("a game begins with the first seat, in canonical text", () => {
  const game = games.newGame(" kayles:[3, 2] ", ["you", "easy"]);
  assert.equal(game.start, "octal{code=0.77}:[2,3]");
  assert.deepEqual([games.turnOf(game), games.isLive(game), games.isPersons(game), game.winner], [0, true, true, null]);
});

test("moves change the position and the turn", () => {
  const game = played(["you", "easy"], 1);
  assert.deepEqual([game.position.text, game.at, games.turnOf(game), games.isPersons(game)], [TEXTS[0], 1, 1, false]);
  game.at = 0;
  assert.equal(games.shownOf(game).text, "nim:[1,2,3]");
  assert.equal(games.isLive(game), false);
});

test("when a game is won, nobody is to move", () => {
  assert.equal(games.isPersons({ ...played(["you", "you"], 2), winner: 0 }), false);
});

for (const [players, moves, winner, left] of [
  [["you", "you"], 3, null, 2], [["you", "easy"], 2, null, 0], [["you", "easy"], 1, null, 0], [["easy", "you"], 3, null, 1],
  [["easy", "you"], 1, null, 0], [["you", "easy"], 3, 0, 2], [["you", "easy"], 4, 1, 2], [["you", "you"], 0, null, 0],
]) {
  test(`undo by ${players} after ${moves} moves, winner ${winner}, leaves ${left}`, () => {
    const game = { ...played(players, moves), winner };
    assert.equal(games.countBefore(game), left);
  });
}

test("a game can be continued from an earlier move", () => {
  const game = { ...played(["you", "easy"], 3), winner: 1, judged: [1, 2, 3] };
  games.cutAt(game, 1);
  assert.deepEqual([game.moves.length, game.at, game.position.text, game.winner, game.judged], [1, 1, TEXTS[0], null, [1]]);
  games.cutAt(game, -1);
  assert.equal(game.position.text, "nim:[1,2,3]");
});

test("seats show the names of bots, or who began", () => {
  assert.deepEqual([0, 1].map((seat) => games.seatName(played(["you", "hard"], 0), seat)), ["you", "hard"]);
  assert.deepEqual([0, 1].map((seat) => games.seatName(played(["you", "you"], 0), seat)), ["the first player", "the second player"]);
});

test("the result names the winner: you, a bot or a seat", () => {
  const said = (players, winner) => games.resultWords({ ...played(players, 2), winner });
  assert.equal(said(["you", "hard"], 0), "You won");
  assert.equal(said(["you", "hard"], 1), "hard won");
  assert.equal(said(["you", "you"], 1), "the second player won");
});

test("the moves of a link leave out the name of the game", () => {
  const game = played(["you", "easy"], 2);
  games.addMove(game, move("nim:[1,1,2]", true));
  game.at = 1;
  const link = games.linkOf(game);
  assert.deepEqual(link, { first: "you", second: "easy", moves: "[1,2,2]~[1,1,2]~pass", at: 1 });
  assert.deepEqual(games.movesOfLink(game.start, link.moves), [TEXTS[0], TEXTS[1], "pass"]);
  assert.deepEqual(games.linkOf(played(["you", "easy"], 0)), { first: "you", second: "easy" });
  assert.deepEqual(games.movesOfLink("nim:[1] + chomp:2", "chomp:1+nim:[0]~nim{max=2}:[1]"), ["chomp:1+nim:[0]", "nim{max=2}:[1]"]);
});

test("a link holds the first 300 moves of a long game", () => {
  const game = games.newGame("nim:[399]", ["you", "you"]);
  for (let left = 398; left > 20; left -= 1) games.addMove(game, move(`nim:[${left}]`));
  assert.equal(games.movesOfLink(game.start, games.linkOf(game).moves).length, 300);
});
