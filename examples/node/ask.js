// Asks a position oracle from Node, made from the contract alone: no code is generated.
//
//     npm install
//     node ask.js 127.0.0.1:50051 'nim:[3,5,7]'
//
// A token goes along where the environment has one in ORACLE_TOKEN.

import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const PROTO = process.env.ORACLE_PROTO ??
  fileURLToPath(new URL("../../schema/proto", import.meta.url));
const [address = "127.0.0.1:50051", text = "nim:[3,5,7]"] = process.argv.slice(2);

// Numbers of 64 bits come as text, which loses nothing; enums by name, unknown ones as numbers.
const definition = loader.loadSync("position_oracle/v1/service.proto", {
  includeDirs: [PROTO],
  keepCase: false,
  longs: String,
  enums: String,
});
const { PositionOracle } = grpc.loadPackageDefinition(definition).position_oracle.v1;
const oracle = new PositionOracle(address, grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
if (process.env.ORACLE_TOKEN) {
  metadata.set("authorization", `Bearer ${process.env.ORACLE_TOKEN}`);
}

/** One call, as a promise; it fails with the status of the server. */
function ask(method, request, seconds = 30) {
  const options = { deadline: Date.now() + 1000 * seconds };
  return new Promise((resolve, reject) => {
    oracle[method](request, metadata, options, (error, response) =>
      error ? reject(error) : resolve(response));
  });
}

/** Positions of one game, packed as the contract says: int32, little-endian. */
function packed(game, positions) {
  const coordinates = Buffer.alloc(4 * positions.flat().length);
  positions.flat().forEach((number, place) => coordinates.writeInt32LE(number, 4 * place));
  return { game: { text: game }, width: positions[0].length, coordinates };
}

try {
  const { answer, moves } = await ask("listWinningMoves", { position: { text } });
  console.log(`${answer.position.text}: ${answer.outcome} (${answer.certainty})`);
  for (const move of moves ?? []) {
    console.log(`${move.action.words}: ${move.child.text}`);
  }

  const batch = await ask("batchGetOutcomes", { positions: packed("nim", [[1, 2], [4, 4]]) });
  console.log(`nim:[1,2] and nim:[4,4]: ${[...batch.outcomes].map((byte) => "?PN"[byte]).join(", ")}`);

  const { games, tables } = await ask("listGames", {});
  console.log(`${games.length} games of tables ${tables.version}`);

  // What is wrong is said with a code, and for programs in google.rpc details.
  await ask("getOutcome", { position: { text: "nim:[3,-1]" } }).catch((error) =>
    console.log(`nim:[3,-1]: ${grpc.status[error.code]}`));
} catch (error) {
  console.error(`${address}: ${grpc.status[error.code] ?? "failed"}: ${error.details ?? error}`);
  process.exitCode = 1;
} finally {
  oracle.close();
}
