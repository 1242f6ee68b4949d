// Reads positions as a JSON list, and writes what the page's own rules say of each:
// {text, moverWon, moves: [{child, isPass, words, key, after}]}.

import { readFileSync } from "node:fs";

import { keyOf, readPosition } from "../../oracle/web/static/rules/position.js";
import { wordsOf } from "../../oracle/web/static/words.js";

const texts = JSON.parse(readFileSync(0, "utf8"));
const found = texts.map((text) => {
  const position = readPosition(text);
  const moves = position.moves ? [...position.moves()].map((move) => ({
    child: move.child, isPass: move.isPass, words: wordsOf(move), key: keyOf(move.action, move.component),
    after: position.after(move.action, move.component),
  })) : null;
  return { text: position.text, kind: position.kind, local: position.local !== false,
    moverWon: position.moverWon, count: position.count, moves };
});
process.stdout.write(JSON.stringify(found));
