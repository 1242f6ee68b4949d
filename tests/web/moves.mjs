// Reads positions, and writes what the page's own rules say of each:
// {text, kind, local, moverWon, count, moves: [{child, isPass, words, name, after, found}], greedy}. `found` is the
// name of the move to the child, which is found without the list of moves.

import { choose } from "../../oracle/web/static/bots.js";
import { movesOf } from "../../oracle/web/static/moves.js";
import { keyOf, readPosition } from "../../oracle/web/static/rules/position.js";
import { wordsOf } from "../../oracle/web/static/words.js";
import { asked, write } from "./common.mjs";

const nameOf = (move) => move && `${move.child} ${move.isPass} ${keyOf(move.action, move.component)}`;

const found = [];
for (const text of asked) {
  const position = readPosition(text);
  const { local } = position;
  const moves = local ? movesOf(position).map((move) => ({
    child: move.child, isPass: move.isPass, words: wordsOf(move), name: nameOf(move),
    after: position.after(move.action, move.component), found: nameOf(position.moveTo(readPosition(move.child))),
  })) : null;
  const greedy = moves?.length ? (await choose("greedy", position)).child : null;
  found.push({ text: position.text, kind: position.kind, local, moverWon: position.moverWon, count: position.count, moves, greedy });
}
write(found);
