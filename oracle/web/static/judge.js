// What the oracle says of the moves of a game: {verdict, better, plies} for each.

import { analyse } from "./oracle.js";
import { readPosition } from "./rules/position.js";

/** Judge the move to `child` from a position with this analysis, as `oracle play --annotate` does. */
export function judged(analysis, move) {
  const made = analysis.moves.find((each) => each.child === move.child && each.isPass === move.isPass);
  if (!made || made.outcome === "?") {
    const wins = (analysis.wins ?? []).some((each) => each.child === move.child);
    return { verdict: wins ? "wins" : analysis.wins?.length ? "mistake" : "unknown",
      better: wins ? null : analysis.wins?.[0] ?? null };
  }
  const best = analysis.moves[0];
  const plies = made.values.remoteness;
  if (made.outcome !== "P" && best.outcome === "P") return { verdict: "mistake", better: best, plies };
  const slower = best.values.remoteness !== undefined && plies !== undefined
    && best.values.remoteness !== plies;
  return { verdict: made.outcome === "P" ? "wins" : "loses", plies, better: slower ? best : null };
}

/** Judge all moves of a game one after another; `onEach(at, judgement)`. */
export async function judgeGame(start, moves, onEach, options) {
  for (const [at, move] of moves.entries()) {
    const before = readPosition(at ? moves[at - 1].child : start);
    onEach(at, judged(await analyse(before, options), move));
  }
}

/** A judgement as the comment of a record, in the words of `oracle play`. */
export function commentOf({ verdict, better, plies }) {
  if (verdict === "unknown") return "not known";
  if (verdict === "mistake") return `a mistake: ${better.isPass ? "pass" : better.child} wins`;
  const words = verdict === "wins" ? "wins" : "loses, as every move";
  const length = plies === undefined ? "" : `, ${plies} ${plies === 1 || plies === "1" ? "ply" : "plies"} to the end`;
  const other = better && better.values?.remoteness !== undefined
    ? ` (${better.isPass ? "pass" : better.child} ${verdict === "wins" ? "takes" : "lasts"} ${better.values.remoteness})` : "";
  return words + length + other;
}
