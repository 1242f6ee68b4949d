// Work that ends when other work begins. Questions that the oracle refuses are reported.

import { OracleError } from "./oracle.js";

/**
 * {run(work), restart(work), stop()}. `work(signal)` asks the oracle with this signal; `restart` first ends the
 * running work. `onRefused(error)` gets the error of a refused question, unless the work was ended.
 */
export function createWork(onRefused) {
  let running = new AbortController();

  function stop() {
    running.abort();
    running = new AbortController();
  }

  async function run(work, refused = onRefused) {
    const { signal } = running;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OracleError)) throw error;
      refused(error);
    }
  }

  return {
    run, stop,
    restart(work) {
      stop();
      return run(work);
    },
  };
}
