import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import {
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream } from "../../../domain/streams.ts";
import { compose } from "../../../infra/composition/application.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { lifecycleOf } from "../../../infra/process/lifecycle.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { hasLeader } from "../../../projections/engine/leader/leader-election.ts";
import { projectorRole } from "../../../projections/engine/runner/status.ts";
import { credential, startEmbeddedLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";

/** An event store that refuses reads of one stream, once `whenever` has resolved, and takes every other call. */
async function storeWithout(stream: string, whenever: () => Promise<void>) {
  const store = await startEmbeddedLog();
  const ca = await readFile(join(store.directory, "tls-certificate.pem"));
  const authorization = `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString("base64")}`;
  const behind = connect(`https://localhost:${store.port}`, { ca });
  const server = createServer().listen(0, "127.0.0.1");
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (inbound: ServerHttp2Stream, { ":method": method, ":path": path, ...headers }) => {
    inbound.on("error", () => undefined);
    inbound.once("data", async (first: Buffer) => {
      if (path?.endsWith("/Read") === true && first.includes(stream)) {
        await whenever();
        const denied = { "grpc-status": "7", "grpc-message": "denied" };
        inbound.respond({ ":status": 200, "content-type": "application/grpc", ...denied }, { endStream: true });
        return;
      }
      const { ":authority": _authority, ":scheme": _scheme, ...others } = headers;
      const outbound = behind.request({ ":method": method, ":path": path, ...others, authorization });
      let trailers: IncomingHttpHeaders = {};
      outbound.on("error", () => undefined);
      outbound.on("response", ({ ...answered }) => {
        inbound.respond(answered, { waitForTrailers: true });
        outbound.pipe(inbound);
      });
      outbound.on("trailers", (sent) => {
        trailers = sent;
      });
      inbound.on("wantTrailers", () => inbound.sendTrailers(trailers));
      inbound.on("close", () => outbound.close());
      outbound.write(first);
      inbound.pipe(outbound);
    });
  });
  await once(server, "listening");
  return {
    url: `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`,
    close: async () => {
      for (const session of [behind, ...sessions]) session.destroy();
      server.close();
      await store.close();
    },
  };
}

const start = suite("a start");

start("that fails beside the running projections ends, and closes what it has opened", async () => {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const DATABASE_URL = await testPostgres();
  const db = openDatabase(DATABASE_URL, { max: 1, applicationName: "test" });
  const store = await storeWithout(appRegistryStream, async () => {
    while (!(await hasLeader(db, projectorRole)));
  });
  try {
    const config = readConfig({
      ...{ DATA_DIR: directory, PORT: "0", HOST: "127.0.0.1" },
      ...{ EVENTSTORE_URL: store.url, DATABASE_URL },
    });
    const log = openLogger("silent");
    const { parts } = compose(config, log, { fail: assert.unreachable, ready: () => false });
    const failure = await lifecycleOf(parts, log)
      .start()
      .catch((reason: unknown) => reason);
    assert.match(String(failure), "denied");
  } finally {
    await db.destroy();
    await store.close();
    await rm(directory, { recursive: true });
  }
});

start.run();
