// Work that is given up when other work begins. The oracle may refuse to answer meanwhile.

import { OracleError } from "./oracle.js";

/**
 * {run(work), restart(work), stop()}: `work(signal)` asks the oracle with the signal, and `restart` gives up
 * what runs. `onRefused(error)` is told what the oracle refuses, unless the work was given up.
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
