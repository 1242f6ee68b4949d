// Reads games as {start, moves: [{child, isPass}]}, and writes the comments of the page's judge on each.
import { commentOf, judgeGame } from "../../oracle/web/static/judge.js";
import { asked, write } from "./common.mjs";

const said = [];
for (const { start, moves } of asked) {
  const comments = [];
  await judgeGame(start, moves, (at, judgement) => { comments[at] = commentOf(judgement); });
  said.push(comments);
}
write(said);
