// The best line from a position.

import { ask, readAnalysed } from "./oracle.js";

const MOST_PLIES = 60;

/** {plies: analysed moves, complete, reason}. */
export async function bestLine(text, options) {
  const found = await ask("GetBestLine", { position: { text }, pageSize: MOST_PLIES }, options);
  return {
    plies: (found.plies ?? []).map(readAnalysed), complete: found.complete ?? false, reason: found.reason ?? "",
  };
}
