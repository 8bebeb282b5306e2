import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startEmbeddedEventStore } from "../../../infra/embedded-event-store/event-store.ts";
import { eventStoreContract } from "../event-log/contract/event-store-contract.ts";

const credentials = { username: "admin", password: "p@ss:word" };
const directory = await mkdtemp(join(tmpdir(), "touchledger-contract-"));
const store = await startEmbeddedEventStore({ directory, ...credentials });

eventStoreContract("embedded event store", () => ({
  connectionString: store.connectionString,
  credentials,
  secure: true,
  maximumAppendSize: 1024 * 1024,
  reportsCaughtUp: true,
}));

const afterwards = suite("embedded event store: afterwards");

afterwards("closes, and leaves its directory to the next", async () => {
  await store.close();
  assert.not((await readdir(directory)).some((file) => file.endsWith(".pid")));
  await rm(directory, { recursive: true });
});

afterwards.run();
