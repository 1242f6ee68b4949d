// Reads responses of GetBestMove as a JSON list, and writes the words of their moves.

import { readFileSync } from "node:fs";

import { readMove } from "../../oracle/web/static/oracle.js";
import { wordsOf } from "../../oracle/web/static/words.js";

const responses = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(responses.map(({ move }) => wordsOf(readMove(move)))));
