// Reads responses of GetBestMove, and writes the words of their moves.
import { readMove } from "../../oracle/web/static/oracle.js";
import { wordsOf } from "../../oracle/web/static/words.js";
import { asked, write } from "./common.mjs";

write(asked.map(({ move }) => wordsOf(readMove(move))));
