// The moves of a bot of the page, each on a line: node bots.mjs ADDRESS LEVEL POSITION ...
import { choose } from "../../oracle/web/static/bots.js";
import { readPosition } from "../../oracle/web/static/rules/position.js";

const [address, level, ...texts] = process.argv.slice(2);
const reach = globalThis.fetch;
globalThis.fetch = (path, options) => reach(new URL(path, address), options);
for (const text of texts) console.log((await choose(level, readPosition(text))).child);
