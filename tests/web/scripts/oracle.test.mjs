// oracle.js, chance.js, judge.js, record.js and sheets.js: what is asked, and how answers are read.

import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { chanceOf, chancesOf, modelText } from "../../../oracle/web/static/chance.js";
import { judgeGame } from "../../../oracle/web/static/judge.js";
import * as oracle from "../../../oracle/web/static/oracle.js";
import { readRecord, writeRecord } from "../../../oracle/web/static/record.js";
import { readPosition } from "../../../oracle/web/static/rules/position.js";
import { painted } from "../../../oracle/web/static/sheetpicture.js";
import { lineOf, losersOf, markers, originOf, winnersOf } from "../../../oracle/web/static/sheets.js";

let asked;
let answers;

/** Answers by the name of the call, each a value, or a function of the request. */
beforeEach(() => {
  asked = [];
  answers = {};
  oracle.useToken("");
  globalThis.fetch = async (path, { body, headers, method }) => {
    const call = path.split("/").at(-1);
    const request = JSON.parse(body);
    asked.push({ call, request, headers, method });
    const answer = typeof answers[call] === "function" ? answers[call](request) : answers[call];
    return answer instanceof Response ? answer : new Response(JSON.stringify(answer));
  };
});

const position = (text) => ({ text });
const listed = (text, outcome, remoteness, place) => ({
  move: { child: { text } }, childOutcome: `OUTCOME_${outcome}`, childValues: { remoteness },
  ...(place !== undefined && { winningPlace: place }),
});

test("the same question is sent once", async () => {
  answers.GetOutcome = { answer: { outcome: "OUTCOME_P" } };
  assert.equal(await oracle.outcomeAt("nim:[1,1]"), "P");
  assert.equal(await oracle.outcomeAt("nim:[1,1]"), "P");
  assert.deepEqual(asked.map(({ request }) => request), [{ position: position("nim:[1,1]") }]);
  assert.equal(asked[0].method, "POST");
  await oracle.outcomeAt("nim:[1,2]");
  assert.equal(asked.length, 2);
});

test("every question carries the token, and answers from before it are not reused", async () => {
  answers.GetOutcome = { answer: { outcome: "OUTCOME_N" } };
  await oracle.outcomeAt("nim:[1]");
  assert.equal(oracle.hasToken(), false);
  oracle.useToken("secret");
  assert.equal(oracle.hasToken(), true);
  await oracle.outcomeAt("nim:[1]");
  assert.equal(asked.length, 2);
  const sent = asked.map(({ headers }) => new Headers(headers).get("authorization"));
  assert.deepEqual(sent, [null, "Bearer secret"]);
});

test("a refusal is raised at once, with its code", async () => {
  const refusal = { code: "invalid_argument", message: "no position" };
  answers.GetOutcome = () => new Response(JSON.stringify(refusal), { status: 400 });
  await assert.rejects(oracle.outcomeAt("nim"), { code: "invalid_argument", message: "no position" });
  assert.equal(asked.length, 1);
});

for (const [status, code] of [[401, "unauthenticated"], [404, "unimplemented"], [429, "resource_exhausted"],
  [501, "unimplemented"], [500, "internal"]]) {
  test(`status ${status} of a proxy is ${code}`, async () => {
    answers.GetOutcome = () => new Response("<html>", { status });
    await assert.rejects(oracle.outcomeAt("nim:[1]"), { code });
  });
}

test("an unreachable server is asked again, and watchers are told", async () => {
  const states = [];
  oracle.watchOracle((state) => states.push(state));
  let times = 0;
  answers.GetOutcome = () => {
    times += 1;
    return times < 3 ? new Response("", { status: 502 + times }) : { answer: { outcome: "OUTCOME_P" } };
  };
  assert.equal(await oracle.outcomeAt("nim:[0]"), "P");
  assert.equal(times, 3);
  assert.deepEqual(states.slice(-2), ["waiting", "ready"]);
  times = 0;
  await assert.rejects(oracle.outcomeAt("nim:[5]", { patient: false }), { code: "unavailable" });
  assert.equal(times, 1);
  assert.equal(states.at(-1), "lost");
});

test("a list that cannot be loaded while the server starts is loaded again", async () => {
  let times = 0;
  const load = async () => {
    times += 1;
    if (times < 3) throw new oracle.OracleError("unavailable", "starting");
    return ["chomp"];
  };
  assert.deepEqual(await oracle.patiently(load), ["chomp"]);
  assert.equal(times, 3);
});

test("of too many moves the winning ones and others are listed", async () => {
  const page = (child, nextPageToken) => ({ moves: [{ move: { child: { text: child } }, childOutcome: "OUTCOME_P" }], nextPageToken });
  answers.AnalyzePosition = ({ pageToken }) => (pageToken ? page("nim:[2]", "c") : page("nim:[1]", "b"));
  const moves = await oracle.listedMoves({ text: "nim:[99999]" });
  assert.deepEqual(moves.map(({ child }) => child), ["nim:[1]", "nim:[2]"]);
});

test("a question is given up when its signal is aborted", async () => {
  answers.GetOutcome = () => new Response("", { status: 503 });
  const controller = new AbortController();
  const found = oracle.outcomeAt("nim:[7]", { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("gone")), 20);
  await assert.rejects(found, /gone/);
  assert.equal(asked.length, 1);
});

test("numbers are packed as 32 bits, the lowest byte first", () => {
  assert.deepEqual([...oracle.bytesOf(oracle.packed([1, -2]))], [1, 0, 0, 0, 254, 255, 255, 255]);
  const many = Array.from({ length: 20_001 }, (_, at) => at);
  assert.deepEqual([...new Int32Array(oracle.bytesOf(oracle.packed(many)).buffer)], many);
  assert.equal(oracle.bytesOf().length, 0);
});

test("outcomes are letters", () => {
  assert.deepEqual(["OUTCOME_P", "OUTCOME_N", "OUTCOME_UNKNOWN", undefined].map(oracle.outcomeOf), ["P", "N", "?", "?"]);
});

const ANSWER = { position: { text: "nim:[3]", game: { text: "nim" } }, outcome: "OUTCOME_N", certainty: "CERTAINTY_THEOREM" };

test("an analysis names the winning moves in their order", async () => {
  answers.AnalyzePosition = {
    answer: ANSWER, winningMoveCount: "2", values: { grundy: 3 }, listing: "MOVE_LISTING_BEST_FIRST",
    moves: [listed("b", "P", 2, "1"), listed("c", "N"), listed("a", "P", 0, "0")],
  };
  const found = await oracle.analyse(readPosition("nim:[3]"));
  assert.deepEqual(found.wins.map((move) => move.child), ["a", "b"]);
  assert.deepEqual(found.moves.map((move) => [move.child, move.outcome]), [["b", "P"], ["c", "N"], ["a", "P"]]);
  assert.deepEqual([found.outcome, found.certainty, found.complete, found.values.grundy], ["N", "THEOREM", true, 3]);
  assert.equal(asked.length, 1);
});

test("the winning moves that an analysis leaves out are requested", async () => {
  answers.AnalyzePosition = { answer: ANSWER, winningMoveCount: 3, moves: [listed("a", "P", 0, 0)], nextPageToken: "x" };
  answers.ListWinningMoves = { moves: ["a", "b", "c"].map((text) => ({ child: { text } })) };
  const found = await oracle.analyse(readPosition("nim:[3]"));
  assert.deepEqual(found.wins.map((move) => move.child), ["a", "b", "c"]);
  assert.equal(found.complete, false);
});

test("unknown winning moves differ from no winning moves", async () => {
  answers.AnalyzePosition = { answer: { position: {}, outcome: "OUTCOME_UNKNOWN" } };
  const unknown = await oracle.analyse(readPosition("nim:[4]"));
  assert.deepEqual([unknown.wins, unknown.outcome, unknown.certainty], [null, "?", "UNKNOWN"]);
  answers.AnalyzePosition = { answer: { position: {}, outcome: "OUTCOME_P" }, winningMoveCount: 0 };
  assert.deepEqual((await oracle.analyse(readPosition("nim:[5]"))).wins, []);
});

test("if there are very many moves, only the best are requested", async () => {
  answers.AnalyzePosition = { answer: ANSWER };
  const sizes = async (text, options) => {
    await oracle.analyse(readPosition(text), options);
    return asked.at(-1).request.pageSize;
  };
  const few = await sizes("nim:[1500]");
  assert.ok(await sizes("nim:[1501]") < few);
  assert.equal(await sizes("nim:[1502]", { all: true }), few);
});

test("actions are read with numbers for texts", () => {
  const read = (action) => oracle.readMove({ action, child: { text: "x" } });
  assert.deepEqual(read({ bite: { row: "2", column: "1" } }).action.bite, { row: 2, column: 1 });
  const [change] = read({ taking: { heaps: [{ heap: 1, tokens: "5", left: ["2", "3"] }] } }).action.taking.heaps;
  assert.deepEqual(change, { heap: 1, tokens: 5, left: [2, 3] });
  const passing = read({ taking: { heaps: [{ heap: 1, pass: true }] } });
  assert.deepEqual([passing.action.taking.heaps[0], passing.isPass], [{ heap: 1, tokens: 0, pass: true }, false]);
  assert.deepEqual(read({ powerProduct: "2^70*3" }).action, { powerProduct: "2^70*3", divisor: "3541774862152233910272" });
  assert.equal(read({ pass: {} }).isPass, true);
  assert.equal(read({ pass: {}, component: 0 }).isPass, false);
  assert.equal(read({}).action, null);
  assert.equal(read(undefined).isPass, false);
  assert.deepEqual(read({ words: "hop" }).action, { words: "hop" });
});

test("the best line is read with its length", async () => {
  answers.GetBestLine = { plies: [listed("a", "P", 0)], complete: true };
  assert.deepEqual(await oracle.bestLine("nim:[1]"), {
    plies: [{ ...oracle.readMove({ child: { text: "a" } }), outcome: "P", values: { remoteness: 0 } }], complete: true,
  });
  answers.GetBestLine = { reason: "too long" };
  assert.deepEqual(await oracle.bestLine("nim:[2]"), { plies: [], complete: false });
});

test("chances are read for a position, and after each of its moves", async () => {
  answers.GetWinProbability = { probability: { value: 0.5, method: "CHANCE_METHOD_EXACT", exact: { numerator: "1", denominator: "2" } } };
  const found = await chanceOf("nim:[2]", "random");
  assert.deepEqual([found.value, found.method, found.exact, found.reason], [0.5, "EXACT", "1 / 2", ""]);
  const of = readPosition("nim:[2,1]");
  const bytes = new Uint8Array(Float64Array.from([0.25, 1, 0]).buffer);
  answers.BatchGetWinProbabilities = { probabilities: btoa(String.fromCharCode(...bytes)) };
  const moves = [...of.moves()];
  const after = await chancesOf(of, moves, "perfect-vs-random");
  assert.deepEqual([...after.values()], [0.75, 0, 1]);
  assert.deepEqual([...after.keys()], moves.map((each) => each.child));
  const { request } = asked.at(-1);
  assert.equal(request.model, "random-vs-perfect");
  assert.equal(request.positions.width, 2);
  assert.deepEqual([...new Int32Array(oracle.bytesOf(request.positions.coordinates).buffer)],
    moves.flatMap((each) => each.child.slice(5, -1).split(",").map(Number)));
  assert.equal(modelText("random", 0.3), "random");
  assert.equal(modelText("perfect-vs-sloppy", 0.3), "perfect-vs-sloppy(0.3)");
});

test("a pass leads to a row of another game, and is left out", async () => {
  const of = readPosition("nim:[2;1]");
  const bytes = new Uint8Array(Float64Array.from([0.25, 1]).buffer);
  answers.BatchGetWinProbabilities = { probabilities: btoa(String.fromCharCode(...bytes)) };
  const moves = [...of.moves()];
  assert.equal(moves.filter((each) => each.isPass).length, 1);
  const after = await chancesOf(of, moves, "random");
  assert.deepEqual([...after.keys()], moves.filter((each) => !each.isPass).map((each) => each.child));
  assert.equal(oracle.bytesOf(asked.at(-1).request.positions.coordinates).length, 4 * 2 * asked.at(-1).request.positions.width);
});

test("refused chances give an empty map", async () => {
  answers.BatchGetWinProbabilities = () => new Response(JSON.stringify({ code: "resource_exhausted" }), { status: 429 });
  const of = readPosition("nim:[2]");
  assert.equal((await chancesOf(of, [...of.moves()], "random")).size, 0);
});

async function judgement(analysis, child, isPass = false) {
  const found = [];
  answers.AnalyzePosition = { answer: { position: {}, outcome: `OUTCOME_${analysis.outcome}` }, ...analysis };
  await judgeGame("nim:[3]", [{ child, isPass }], (at, each) => found.push(each));
  return found[0];
}

test("moves are judged: winning, losing, or giving away a win", async () => {
  const moves = [listed("nim:[0]", "P", 0, 0), listed("nim:[1]", "N", 1), listed("nim:[2]", "N", 3)];
  const won = { outcome: "N", winningMoveCount: 1, moves };
  assert.deepEqual(await judgement(won, "nim:[0]"), { verdict: "wins", plies: 0, better: null });
  oracle.useToken("");
  const mistake = await judgement(won, "nim:[1]");
  assert.deepEqual([mistake.verdict, mistake.better.child, mistake.wins], ["mistake", "nim:[0]", 1]);
  oracle.useToken("");
  const lost = { outcome: "P", winningMoveCount: 0, moves: moves.slice(1).reverse() };
  const forced = await judgement(lost, "nim:[1]");
  assert.deepEqual([forced.verdict, forced.plies, forced.better.child], ["forced", 1, "nim:[2]"]);
  oracle.useToken("");
  assert.equal((await judgement(lost, "nim:[2]")).better, null);
});

test("if the winning moves are unknown, the outcome after the move is requested", async () => {
  for (const [after, verdict] of [["N", "loses"], ["P", "wins"], ["UNKNOWN", "unknown"]]) {
    oracle.useToken("");
    answers.GetOutcome = { answer: { outcome: `OUTCOME_${after}` } };
    assert.equal((await judgement({ outcome: "UNKNOWN", moves: [] }, "nim:[1]")).verdict, verdict);
  }
});

const GAME = { start: "nim:[2,1]", players: ["me", 'a "bot"\\'], winner: 0, moves: [
  { child: "nim:[1,1]", isPass: false }, { child: "nim:[0,1]", isPass: false }, { child: "nim:[0,0]", isPass: false }] };

test("a record is written, and read again", async () => {
  const text = writeRecord(GAME, ["wins", undefined, "wins {so}"]);
  const lines = text.split("\n");
  assert.deepEqual(lines.slice(0, 4), ['[Start "nim:[2,1]"]', '[First "me"]', '[Second "a \\"bot\\"\\\\"]', '[Result "1-0"]']);
  assert.deepEqual(lines.slice(5), ["1. nim:[1,1] {wins} nim:[0,1]", "2. nim:[0,0] {wins {so}}", "1-0", ""]);
  const read = await readRecord(text.replaceAll("\n", "\r\n"));
  assert.deepEqual([read.start, read.players], [GAME.start, GAME.players]);
  assert.deepEqual(read.moves.map((each) => each.child), GAME.moves.map((each) => each.child));
  assert.match(writeRecord({ ...GAME, winner: null }), /\*\n$/);
  assert.match(writeRecord({ ...GAME, winner: 1 }), /0-1\n$/);
});

test("text that is not a record is refused with the reason", async () => {
  const text = writeRecord(GAME);
  await assert.rejects(readRecord(text.replace("[Second", "[Third")), { key: "record.noTag", values: { tag: "Second" } });
  await assert.rejects(readRecord(text.replace("nim:[0,1]", "nim:[5,1]")), { key: "record.noMove", values: { move: "nim:[5,1]", before: "nim:[1,1]" } });
  await assert.rejects(readRecord("x".repeat(5_000_001)), { key: "record.tooLong" });
});

const packedZ = (numbers) => ({ z: oracle.packed(numbers) });

test("losers are requested in parts", async () => {
  answers.GetLosers = ({ firstY, sizeY }) => packedZ(Array.from({ length: sizeY }, (_, at) => Number(firstY) + at));
  const [[first, found], [second, rest]] = await losersOf("chomp3", 7, { firstY: 10, sizeY: 65_540 });
  assert.deepEqual(asked.map(({ request }) => [request.firstY, request.sizeY]), [["10", 65_536], ["65546", 4]]);
  assert.deepEqual([first, found.length, found[0], found[65_535]], [10, 65_536, 10, 65_545]);
  assert.deepEqual([second, ...rest], [65_546, 65_546, 65_547, 65_548, 65_549]);
});

test("instant winners are requested in parts of whole columns", async () => {
  answers.GetInstantWinners = ({ firstY, sizeY, sizeZ }) =>
    ({ origins: Buffer.alloc(sizeY * sizeZ, Number(firstY) + 1).toString("base64") });
  const found = await winnersOf("chomp3", 7, { firstY: 0, sizeY: 3, firstZ: 5, sizeZ: 1 << 21 });
  assert.deepEqual(asked.map(({ request }) => [request.firstY, request.sizeY, request.firstZ]), [["0", 2, "5"], ["2", 1, "5"]]);
  assert.deepEqual(found.map(([first, cells]) => [first, cells.length, cells[0]]), [[0, 1 << 22, 1], [2, 1 << 21, 3]]);
});

test("some columns at every step represent a window", async () => {
  answers.GetLosers = () => packedZ([]);
  const firstsOf = async (firstY, sizeY, size, step) => (await losersOf("chomp3", 7, { firstY, sizeY }, size, step)).map(([first]) => first);
  assert.deepEqual(await firstsOf(5, 100, 10, 25), [5, 30, 55, 80]);
  assert.deepEqual(await firstsOf(0, 25, 10), [0, 10, 20]);
  assert.deepEqual(asked.map(({ request }) => request.sizeY), [10, 10, 10, 10, 10, 10, 5]);
});

test("the diagonal of a sheet and the end of its lower line tell its lines apart", async () => {
  answers.GetLosers = ({ firstY, sizeY }) => packedZ(Array.from({ length: sizeY }, (_, at) => {
    const y = Number(firstY) + at;
    return y === 0 ? 70 : y <= 41 ? (y % 2 ? 60 - y : 75 + y) : -1;
  }));
  const found = await markers("chomp3", 100);
  assert.deepEqual(found, { d: 70, end: 41 });
  assert.deepEqual([[0, 70], [3, 57], [2, 77], [42, 1], [41, 28]].map(([y, z]) => lineOf(y, z, found)), [3, 0, 1, 2, 0]);
});

test("a cell has the first of its origins", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 8, 12, 16, 17, 32, 64, 128].map(originOf), [0, 3, 4, 3, 6, 7, 6, 1, 1, 2, 5, 0]);
});

test("a pixel has the colour of the smallest value in it", () => {
  const window = { firstY: 10, sizeY: 4, firstZ: 20, sizeZ: 4 };
  const cells = [[10, 20, 2], [11, 21, 1], [13, 23, 3], [9, 20, 1], [10, 24, 1], [14, 20, 1]];
  const drawn = painted(window, 2, (put) => cells.forEach((cell) => put(...cell)), (value) => [value, 0, 9]);
  assert.deepEqual([drawn.width, drawn.height], [2, 2]);
  const pixels = [0, 1, 2, 3].map((at) => [...drawn.pixels.slice(4 * at, 4 * at + 4)]);
  assert.deepEqual(pixels, [[0, 0, 0, 0], [3, 0, 9, 255], [1, 0, 9, 255], [0, 0, 0, 0]]);
  const faint = painted(window, 2, (put) => put(10, 20, 1), () => [1, 1, 1], { shaded: true });
  assert.equal(faint.pixels[4 * 2 + 3], 40 + Math.round(215 / 4));
});
