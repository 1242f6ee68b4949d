// The best line: GetBestLine where the oracle has it, else the first move of each analysis.

import { OracleError, analyse, ask, readMove } from "./oracle.js";

const MOST_PLIES = 24;
/** Where moves are many, each ply costs a long list. */
const MOST_LISTED = 20_000;
let followed = false;

/** {plies: [{child, action, component, isPass, remoteness}], complete}. */
export async function bestLine(text, options) {
  if (!followed) {
    try {
      const found = await ask("GetBestLine", { position: { text } }, options);
      return readLine(found);
    } catch (error) {
      if (!(error instanceof OracleError) || error.code !== "unimplemented") throw error;
      followed = true;
    }
  }
  return followAnalyses(text, options);
}

function readLine({ line = {}, plies = line.plies ?? line.moves ?? [], complete = line.complete ?? false }) {
  return {
    complete,
    plies: plies.map((ply) => ({ ...readMove(ply.move ?? ply),
      remoteness: ply.remoteness ?? ply.childValues?.remoteness })),
  };
}

async function followAnalyses(text, options) {
  const plies = [];
  let listed = 0;
  while (plies.length < MOST_PLIES && listed < MOST_LISTED) {
    const analysis = await analyse(text, options);
    listed += analysis.moves.length;
    const [best] = analysis.moves;
    if (!best || best.outcome === "?") return { plies, complete: !best && analysis.complete };
    plies.push({ ...best, remoteness: best.values.remoteness });
    text = best.child;
  }
  return { plies, complete: false };
}
