// Questions to the oracle: protobuf JSON by POST. Answers are kept, as the same question has the same answer. If
// the oracle cannot be reached, questions are repeated for a while.

const SERVICE = "/position_oracle.v1.PositionOracle/";
const WAITS_MS = [150, 400, 900, 1500, 2500, 4000, 6000, 8000];
const MOST_KEPT = 600;
const MOST_KEPT_CHARACTERS = 2_000_000;

/** A refusal of the oracle, or its failure to answer (`code` "unavailable"). */
export class OracleError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const kept = new Map();
const watchers = new Set();
let token = "";
let state = "ready";

/** Send a token with every later question; an empty one sends none. It is stored nowhere. */
export function useToken(value) {
  token = value;
  kept.clear();
}

export const hasToken = () => token !== "";

/** Call a listener when the oracle is "ready", asked again ("waiting") or "lost". */
export function watchOracle(watcher) {
  watchers.add(watcher);
  watcher(state);
}

function tell(next) {
  if (next === state) return;
  state = next;
  watchers.forEach((watcher) => watcher(state));
}

/** Ask. `patient` questions are repeated while the oracle cannot be reached. */
export async function ask(method, request = {}, { signal, patient = true } = {}) {
  const body = JSON.stringify(request);
  const key = `${method} ${body}`;
  signal?.throwIfAborted();
  if (kept.has(key)) return keep(key, kept.get(key));
  const answer = await patiently(() => post(method, body, signal), { signal, patient });
  return answer.length > MOST_KEPT_CHARACTERS ? JSON.parse(answer) : keep(key, JSON.parse(answer));
}

/** Call a function that sends a request, and repeat it while the oracle cannot be reached. */
export async function patiently(send, { signal, patient = true } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await send();
      signal?.throwIfAborted();
      tell("ready");
      return answer;
    } catch (error) {
      if (!(error instanceof OracleError) || error.code !== "unavailable") throw error;
      if (!patient || attempt === WAITS_MS.length) {
        tell("lost");
        throw error;
      }
      tell("waiting");
      await pause(WAITS_MS[attempt], signal);
    }
  }
}

function post(method, body, signal) {
  const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1" };
  return fetched(SERVICE + method, { method: "POST", body, signal, cache: "no-store", headers });
}

async function fetched(path, { headers, ...options }) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new OracleError("unavailable", error.message);
  }
  const text = await response.text();
  if (response.ok) return text;
  throw refusal(response.status, text);
}

function refusal(status, text) {
  try {
    const { code, message } = JSON.parse(text);
    if (code) return new OracleError(code, message ?? code);
  } catch { /* not the oracle's own answer, but a proxy's */ }
  const code = { 401: "unauthenticated", 404: "unimplemented", 501: "unimplemented", 429: "resource_exhausted" }[status];
  return new OracleError(code ?? (status >= 502 ? "unavailable" : "internal"), `HTTP ${status}`);
}

/** The content of an address of the server, as JSON. */
export async function getJson(path) {
  return JSON.parse(await fetched(path, {}));
}

/** For `catch`: a value in place of an `OracleError`. */
export function ifRefused(value) {
  return (error) => {
    if (!(error instanceof OracleError)) throw error;
    return value;
  };
}

/** Keep an answer as the newest. */
function keep(key, answer) {
  kept.delete(key);
  kept.set(key, answer);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return answer;
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** From this number of moves on, only the best are asked for, because the list would be long. */
const MANY_MOVES = 1500;
const BEST_MOVES = 60;
const MOST_PLIES = 60;
/** Most moves of one response. */
const MOST_MOVES = 10_000;
/** The number of moves besides the winning ones if there are too many to list. */
const SOME_MOVES = 1000;

/**
 * Everything known about a position, given with its number of moves. Winning moves are always complete; `all`
 * also asks for all other moves, even if there are many.
 */
export async function analyse({ text, count, local = true }, { all = false, ...options } = {}) {
  const some = count > MANY_MOVES && local && !all;
  const position = { text };
  const found = await ask("AnalyzePosition", { position, pageSize: some ? BEST_MOVES : MOST_MOVES }, options);
  const analysis = readAnalysis(found);
  if (analysis.wins && analysis.wins.length < Number(found.winningMoveCount)) {
    const { moves = [] } = await ask("ListWinningMoves", { position, pageSize: MOST_MOVES }, options);
    analysis.wins = moves.map(readMove);
  }
  return analysis;
}

/** The moves of a position, best first; if there are more than 10,000, the winning ones and some others. */
export async function listedMoves({ text }, options) {
  const request = { position: { text }, pageSize: MOST_MOVES };
  const first = await ask("AnalyzePosition", request, options);
  const rest = { ...request, pageSize: SOME_MOVES, pageToken: first.nextPageToken };
  const more = first.nextPageToken ? await ask("AnalyzePosition", rest, options) : {};
  return [...first.moves ?? [], ...more.moves ?? []].map(readAnalysed);
}

/** "P", "N" or "?" for a position. */
export async function outcomeAt(text, options) {
  const { answer } = await ask("GetOutcome", { position: { text } }, options);
  return outcomeOf(answer.outcome);
}

/** The best move. */
export async function bestMove(position, options) {
  const { move } = await ask("GetBestMove", { position: { text: position.text } }, options);
  return readMove(move);
}

/** The best line as {plies, complete}, with analysed moves as plies. */
export async function bestLine(text, options) {
  const { plies = [], complete = false } = await ask("GetBestLine", { position: { text }, pageSize: MOST_PLIES }, options);
  return { plies: plies.map(readAnalysed), complete };
}

function readAnalysis({ answer, winningMoveCount, values = {}, moves = [], listing, nextPageToken }) {
  const places = moves.filter((each) => each.winningPlace !== undefined)
    .sort((one, other) => Number(one.winningPlace) - Number(other.winningPlace));
  return {
    text: answer.position.text, outcome: outcomeOf(answer.outcome),
    certainty: (answer.certainty ?? "CERTAINTY_UNKNOWN").replace("CERTAINTY_", ""),
    reason: answer.reason ?? "", certificate: answer.certificate ?? "",
    transfinite: answer.transfinite ?? null, estimate: answer.estimate ?? null,
    // Absent if winning moves are not known; empty if there are none.
    wins: winningMoveCount === undefined ? null : places.map(({ move }) => readMove(move)),
    complete: listing === "MOVE_LISTING_BEST_FIRST" && !nextPageToken,
    values, moves: moves.map(readAnalysed),
  };
}

/** A move of an answer. */
export function readMove({ action, child }) {
  const { component, pass } = action ?? {};
  return {
    child: child.text, isPass: Boolean(pass) && component === undefined, action: readAction(action), component,
  };
}

/** An action with numbers in place of JSON's texts; null if its kind is not known here. */
function readAction({ component, bite, taking, ...action } = {}) {
  if (bite) return { ...action, bite: { row: Number(bite.row), column: Number(bite.column) } };
  if (action.powerProduct) return { ...action, divisor: String(productOf(action.powerProduct)) };
  if (!taking) return Object.keys(action).length ? action : null;
  const heaps = taking.heaps.map(({ heap, tokens = 0, left, pass }) => ({
    heap, tokens: Number(tokens), ...(left && { left: left.map(Number) }), ...(pass && { pass }),
  }));
  return { ...action, taking: { heaps } };
}

/** The value of a product of powers such as 2^70*3. */
function productOf(powers) {
  return powers.split("*").map((each) => each.split("^").map(BigInt)).reduce((product, [prime, power = 1n]) => product * prime ** power, 1n);
}

/** A move with the outcome and the values of the position after it. */
export function readAnalysed({ move, childOutcome, childValues = {} }) {
  return { ...readMove(move), outcome: outcomeOf(childOutcome), values: childValues };
}

/** "P", "N" or "?". */
export function outcomeOf(name) {
  return { OUTCOME_P: "P", OUTCOME_N: "N" }[name] ?? "?";
}

/** The bytes of a packed field of an answer. */
export function bytesOf(base64 = "") {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Whole numbers packed for a request, as little-endian 32-bit numbers. */
export function packed(numbers) {
  const bytes = new Uint8Array(Int32Array.from(numbers).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
