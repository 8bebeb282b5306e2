import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Locked } from "../../../infra/data-directory/lock.ts";
import { startEmbeddedEventStore } from "../../../infra/embedded-event-store/event-store.ts";
import { eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";
import { connectLog, credential } from "../../support/event-store.ts";
import * as program from "../../support/event-store-program.ts";
import { appended, errorOf, newStream, someEvents, temporaryDirectory } from "../event-log/event-log-client.ts";

const directory = temporaryDirectory();
const place = (name: string): string => join(directory.path, name);
const openStore = (path = place("event-store"), more = {}) =>
  startEmbeddedEventStore({ directory: path, ...credential, ...more });

const start = suite("start of the embedded event store");
start.after(() => directory.remove());

start("a directory belongs to one store at a time", async () => {
  const store = await openStore();
  const second = await errorOf(openStore());
  assert.instance(second, Locked);
  await store.close();
  const foreign = await program.startEmbeddedEventStore(directory.path);
  assert.instance(await errorOf(openStore()), Locked);
  await foreign.kill();
  const after = await openStore();
  await after.close();
});

start("a proxy in the environment is not used for a store on this machine", async () => {
  process.env.http_proxy = "http://localhost:9";
  const store = await openStore();
  const log = connectLog({ EVENTSTORE_URL: eventStoreUrl({ ...store, ...credential }), EVENT_STREAM_PREFIX: "" });
  await appended(log, newStream(), "no_stream", someEvents(1));
  delete process.env.http_proxy;
  delete process.env.no_grpc_proxy;
  await log.close();
  await store.close();
});

start("a store that cannot listen rejects, and releases its directory", async () => {
  const store = await openStore();
  const taken = errorOf(openStore(place("other"), { port: store.port }));
  assert.match(String(await taken), /EADDRINUSE/);
  await (await openStore(place("other"))).close();
  await store.close();
});

start("a thread that ends by itself is reported once, and its directory is released", async () => {
  const throwing = `
    import { BroadcastChannel, parentPort } from "node:worker_threads";
    new BroadcastChannel("failing").onmessage = () => { throw new Error("out of memory"); };
    parentPort.postMessage({ kind: "listening", port: 1, connectionString: "" });`;
  const thread = new URL(`data:text/javascript,${encodeURIComponent(throwing)}`);
  const failures: string[] = [];
  const note = ({ message }: Error): number => failures.push(message);
  const store = await startEmbeddedEventStore({ directory: place("failing"), ...credential }, note, thread);
  const failing = new BroadcastChannel("failing");
  failing.postMessage(null);
  while (failures.length === 0) await new Promise(setImmediate);
  await store.close();
  failing.close();
  assert.equal(failures, ["out of memory"]);
  await (await openStore(place("failing"))).close();
});

start("a library that keeps the thread does not delay the end of the store", async () => {
  const worker = new URL("../../../infra/embedded-event-store/event-store-worker.js", import.meta.url);
  const keeping = `
    process.once("beforeExit", () => setTimeout(() => {}, 60_000));
    await import(${JSON.stringify(worker.href)});`;
  const thread = new URL(`data:text/javascript,${encodeURIComponent(keeping)}`);
  const store = await startEmbeddedEventStore({ directory: place("kept"), ...credential }, assert.unreachable, thread);
  await store.close();
  await (await openStore(place("kept"))).close();
});

start.run();
