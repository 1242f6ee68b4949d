// Reads positions as a JSON list, and writes what the page's own rules say of each:
// {text, kind, local, moverWon, count, moves: [{child, isPass, words, key, after}], greedy}.

import { readFileSync } from "node:fs";

import { choose } from "../../oracle/web/static/bots.js";
import { movesOf } from "../../oracle/web/static/moves.js";
import { keyOf, readPosition } from "../../oracle/web/static/rules/position.js";
import { wordsOf } from "../../oracle/web/static/words.js";

const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const position = readPosition(text);
  const { local } = position;
  const moves = local ? movesOf(position).map((move) => ({
    child: move.child, isPass: move.isPass, words: wordsOf(move), key: keyOf(move.action, move.component),
    after: position.after(move.action, move.component),
  })) : null;
  const greedy = moves?.length ? (await choose("greedy", position)).child : null;
  found.push({ text: position.text, kind: position.kind, local, moverWon: position.moverWon, count: position.count, moves, greedy });
}
process.stdout.write(JSON.stringify(found));
