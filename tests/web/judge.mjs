// Reads games as a JSON list of {start, moves: [{child, isPass}]}, and writes the comments of the page's
// judge on each: node judge.mjs ADDRESS
import { readFileSync } from "node:fs";

import { commentOf, judgeGame } from "../../oracle/web/static/judge.js";

const [address] = process.argv.slice(2);
const reach = globalThis.fetch;
globalThis.fetch = (path, options) => reach(new URL(path, address), options);
const said = [];
for (const { start, moves } of JSON.parse(readFileSync(0, "utf8"))) {
  const comments = [];
  await judgeGame(start, moves, (at, judgement) => { comments[at] = commentOf(judgement); });
  said.push(comments);
}
process.stdout.write(JSON.stringify(said));
