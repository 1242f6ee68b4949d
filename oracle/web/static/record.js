// Records of games as text, in the form of `oracle play --record`: tags, then numbered moves. A move is the
// position that it leads to, or `pass`. Braces hold comments.

import { movesFrom } from "./moves.js";
import { readPosition } from "./rules/position.js";

const TAGS = ["Start", "First", "Second", "Result"];
const RESULTS = ["1-0", "0-1", "*"];
const COMMENT = /(?<!\S)\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g;
const MOST_CHARACTERS = 5_000_000;

/** The error of a text that is no record, with a key of the texts as its reason. */
export class RecordError extends Error {
  constructor(key, values) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** Write {start, players, moves: [{child, isPass}], winner} with comments on the moves. */
export function writeRecord({ start, players, moves, winner }, comments = []) {
  const values = [start, ...players, RESULTS[winner ?? 2]];
  const tags = TAGS.map((tag, at) => `[${tag} "${quoted(values[at])}"]`);
  const said = moves.map(({ child, isPass }, at) => {
    const move = isPass ? "pass" : child.replace(/\s+/g, "");
    return comments[at] ? `${move} {${comments[at]}}` : move;
  });
  const lines = [];
  for (let at = 0; at < said.length; at += 2) {
    lines.push(`${at / 2 + 1}. ${said.slice(at, at + 2).join(" ")}`);
  }
  return `${[...tags, "", ...lines, RESULTS[winner ?? 2]].join("\n")}\n`;
}

/** Read a record, and check every move. */
export async function readRecord(text, options) {
  if (text.length > MOST_CHARACTERS) throw new RecordError("record.tooLong");
  const lines = text.split(/\r?\n/);
  const isTag = (line) => line.trimStart().startsWith("[");
  const tags = {};
  const head = lines.filter(isTag).join("\n");
  for (const [, name, value] of head.matchAll(/\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]/g)) {
    tags[name] = value.replace(/\\(.)/g, "$1");
  }
  for (const tag of TAGS) if (tags[tag] === undefined) throw new RecordError("record.noTag", { tag });
  const start = readPosition(tags.Start).text;
  const body = lines.filter((line) => !isTag(line)).join("\n").replace(COMMENT, " ");
  const words = body.split(/\s+/).filter((word) => word && !RESULTS.includes(word) && !/^\d+\.$/.test(word));
  const { moves, wrong } = await movesFrom(start, words, options);
  if (wrong) throw new RecordError("record.noMove", wrong);
  return { start, players: [tags.First, tags.Second], moves };
}

function quoted(value) {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/[\n\r]/g, " ");
}
