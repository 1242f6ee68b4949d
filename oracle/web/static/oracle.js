// Questions to the oracle: protobuf JSON by POST. Answers are kept, as the same question has the
// same answer; what cannot be reached is asked again for a while.

const SERVICE = "/position_oracle.v1.PositionOracle/";
const WAITS_MS = [150, 400, 900, 1500, 2500, 4000, 6000, 8000];
const MOST_KEPT = 600;
const MOST_KEPT_CHARACTERS = 2_000_000;

/** What the oracle refused, or that it cannot be reached (`code` "unavailable"). */
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

/** Send a token with every question from now on; none where it is empty. It is stored nowhere. */
export function useToken(value) {
  token = value;
  kept.clear();
}

export const hasToken = () => token !== "";

/** Be told when the oracle is "ready", being asked again ("waiting") or "lost". */
export function watchOracle(watcher) {
  watchers.add(watcher);
  watcher(state);
}

function tell(next) {
  if (next === state) return;
  state = next;
  watchers.forEach((watcher) => watcher(state));
}

/** Ask; `patient` questions are tried again while the oracle cannot be reached. */
export async function ask(method, request = {}, { signal, patient = true } = {}) {
  const body = JSON.stringify(request);
  const key = `${method} ${body}`;
  signal?.throwIfAborted();
  if (kept.has(key)) return keep(key, kept.get(key));
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await post(method, body, signal);
      signal?.throwIfAborted();
      tell("ready");
      return answer.length > MOST_KEPT_CHARACTERS ? JSON.parse(answer) : keep(key, JSON.parse(answer));
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

/** What lies at an address of the server, as JSON. */
export async function getJson(path) {
  return JSON.parse(await fetched(path, {}));
}

/** For `catch`: a value in place of what the oracle refuses. */
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

/** From so many moves on only the best are asked for: their list would be long. */
const MANY_MOVES = 1500;
const BEST_MOVES = 60;
const MOST_PLIES = 60;
/** Most moves of one response. */
const MOST_MOVES = 10_000;

/**
 * Everything known about a position, given with its number of moves. `all` asks for every move however
 * many there are; winning moves are all there, anyway.
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

/** "P", "N" or "?" at a position. */
export async function outcomeAt(text, options) {
  const { answer } = await ask("GetOutcome", { position: { text } }, options);
  return outcomeOf(answer.outcome);
}

/** The move to make. */
export async function bestMove(position, options) {
  const { move } = await ask("GetBestMove", { position: { text: position.text } }, options);
  return readMove(move);
}

/** The best line: {plies: analysed moves, complete}. */
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
    // Absent where they are not known; a list of winning moves may be empty.
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

/** An action with numbers where JSON has texts; null where there is none of a kind known here. */
function readAction({ component, bite, taking, ...action } = {}) {
  if (bite) return { ...action, bite: { row: Number(bite.row), column: Number(bite.column) } };
  if (!taking) return Object.keys(action).length ? action : null;
  const heaps = taking.heaps.map(({ heap, tokens = 0, left, pass }) => ({
    heap, tokens: Number(tokens), ...(left && { left: left.map(Number) }), ...(pass && { pass }),
  }));
  return { ...action, taking: { heaps } };
}

/** The same with the outcome and the numbers of the position after it. */
export function readAnalysed({ move, childOutcome, childValues = {} }) {
  return { ...readMove(move), outcome: outcomeOf(childOutcome), values: childValues };
}

/** "P", "N" or "?". */
export function outcomeOf(name) {
  return { OUTCOME_P: "P", OUTCOME_N: "N" }[name] ?? "?";
}

/** Packed bytes of an answer. */
export function bytesOf(base64 = "") {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Whole numbers packed for a request, little-endian 32-bit. */
export function packed(numbers) {
  const bytes = new Uint8Array(Int32Array.from(numbers).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
