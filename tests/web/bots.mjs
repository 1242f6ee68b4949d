// Reads [level, position] pairs, and writes the position that a bot of the page moves to.
import { choose } from "../../oracle/web/static/bots.js";
import { readPosition } from "../../oracle/web/static/rules/position.js";
import { asked, write } from "./common.mjs";

const found = [];
for (const [level, text] of asked) found.push((await choose(level, readPosition(text))).child);
write(found);
