// Reads puzzles as [family, level, day], and writes their positions.
import { puzzleOf } from "../../oracle/web/static/puzzles.js";
import { asked, write } from "./common.mjs";

const found = [];
for (const each of asked) found.push(await puzzleOf(...each));
write(found);
