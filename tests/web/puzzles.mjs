// Reads puzzles as a JSON list of [family, level, day], and writes their positions: node puzzles.mjs ADDRESS
import { readFileSync } from "node:fs";

import { puzzleOf } from "../../oracle/web/static/puzzles.js";

const [address] = process.argv.slice(2);
const reach = globalThis.fetch;
globalThis.fetch = (path, options) => reach(new URL(path, address), options);
const found = [];
for (const asked of JSON.parse(readFileSync(0, "utf8"))) found.push(await puzzleOf(...asked));
process.stdout.write(JSON.stringify(found));
