// Judges the moves of a game by the oracle's analyses, as `oracle play --annotate` does.

import { positionAt } from "./moves.js";
import { analyse, outcomeAt } from "./oracle.js";
import { t } from "./text.js";
import { wordsOf } from "./words.js";

/**
 * The judgement of a move: {verdict, plies, better, wins}. The verdict is "wins", "mistake" if another move
 * would have won, "forced" if every move loses, "loses" if the other moves are not known, or "unknown".
 *
 * `better` is a move that wins, wins sooner, or loses later; `wins` is the number of winning moves.
 */
async function judged(position, move, options) {
  const analysis = await analyse(position, options);
  const isSame = (each) => each.child === move.child && each.isPass === move.isPass;
  const made = analysis.moves.find(isSame);
  const wins = analysis.wins ?? [];
  const after = made && made.outcome !== "?" ? made.outcome : wins.some(isSame) ? "P"
    : analysis.outcome === "P" ? "N" : await outcomeAt(move.child, options);
  const plies = made?.values.remoteness;
  if (after === "?") return { verdict: "unknown" };
  if (after === "N" && analysis.outcome !== "P") {
    const verdict = analysis.outcome === "N" ? "mistake" : "loses";
    return { verdict, plies, better: wins[0] ?? null, wins: wins.length };
  }
  const [best] = analysis.moves;
  const isSlower = best?.values.remoteness !== undefined && plies !== undefined && best.values.remoteness !== plies;
  return { verdict: after === "P" ? "wins" : "forced", plies, better: isSlower ? best : null };
}

/** Judge all moves of a game one after another, and call `onEach(at, judgement)`. */
export async function judgeGame(start, moves, onEach, options) {
  for (const [at, move] of moves.entries()) {
    onEach(at, await judged(positionAt(start, moves, at), move, options));
  }
}

/** A judgement in words. */
export function verdictWords({ verdict, better, plies }) {
  const parts = [t(`judge.${verdict}`)];
  if (Number(plies) && verdict !== "mistake") parts.push(t("judge.plies", { n: Number(plies) }));
  if (better) {
    parts.push(t({ mistake: "judge.better", wins: "judge.faster" }[verdict] ?? "judge.longer",
      { move: wordsOf(better), n: Number(better.values?.remoteness ?? 0) }));
  }
  return parts.join(" · ");
}

/** A judgement as the comment of a record, in the words of `oracle play`. */
export function commentOf({ verdict, better, plies }) {
  if (verdict === "unknown") return "not known";
  if (verdict === "mistake") return `a mistake${better ? `: ${nameOf(better)} wins` : ""}`;
  if (verdict === "loses") return "loses";
  const words = verdict === "wins" ? "wins" : "loses, as every move";
  const length = plies === undefined ? "" : `, ${plies} ${Number(plies) === 1 ? "ply" : "plies"} to the end`;
  return words + length + (better ? ` (${nameOf(better)} ${verdict === "wins" ? "takes" : "lasts"} ${better.values.remoteness})` : "");
}

function nameOf(move) {
  return move.isPass ? "pass" : move.child;
}
