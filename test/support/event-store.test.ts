import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { all, appended, errorOf, idsOf, newStream, someEvents } from "../infra/event-log/event-log-client.ts";
import { connectLog, startTestLog } from "./event-store.ts";
import { type EventStoreProgram, startEmbeddedEventStore, startEventStore } from "./event-store-program.ts";
import { program } from "./paths.ts";

// time limit: 60 s

const stores = suite("the event stores of tests");
const variables = { EVENTSTORE_URL: process.env.EVENTSTORE_URL, EVENTSTORE_PROGRAM: process.env.EVENTSTORE_PROGRAM };
let directory = "";

stores.before.each(async () => {
  directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
});
stores.after.each(async () => {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

stores("are streams of their own on the server of EVENTSTORE_URL, and each can stop", async () => {
  const server = await startEmbeddedEventStore(directory);
  process.env.EVENTSTORE_URL = server.url;
  const [one, other] = [await startTestLog({ deadlineMs: 2_000 }), await startTestLog({ deadlineMs: 2_000 })];
  const [ofOne, ofOther] = [someEvents(2), someEvents(1)];
  await appended(one.log, "thing-1", "no_stream", ofOne);
  await appended(other.log, "thing-1", "no_stream", ofOther);
  assert.equal(idsOf(await all(one.log.readAll("start", 10))), idsOf(ofOne));
  assert.equal(idsOf(await all(connectLog(other.environment).readAll("start", 10))), idsOf(ofOther));
  await one.stopStore();
  assert.instance(await errorOf(one.log.append(newStream(), "no_stream", someEvents(1))), EventLogUnavailable);
  assert.instance(await errorOf(all(one.log.read(newStream()))), EventLogUnavailable);
  await appended(other.log, newStream(), "no_stream", someEvents(1));
  await one.close();
  await other.close();
  await server.stop();
});

stores("that are killed are started by EVENTSTORE_PROGRAM, and have their data and port again", async () => {
  const script = join(directory, "store.sh");
  const command = `DATA_DIR="$1/outside" '${process.execPath}' '${program}' event-store --port "$2"`;
  // As a child of the shell, which does not pass signals on.
  const refusesSettings = "! env | grep -qE '^EVENTSTORE_(URL|PROGRAM)=' || exit 9";
  await writeFile(script, `${refusesSettings}\n${command}\nexit $?\n`);
  process.env.EVENTSTORE_PROGRAM = `sh '${script}'`;
  const stream = newStream();
  const events = someEvents(3);
  const appendTo = async (store: EventStoreProgram): Promise<void> => {
    const log = connectLog({ EVENTSTORE_URL: store.url, EVENT_STREAM_PREFIX: "" });
    await appended(log, stream, "no_stream", events);
    await log.close();
  };
  const first = await startEventStore(directory);
  await appendTo(first);
  await first.kill();
  const second = await startEventStore(directory, first.port);
  assert.is(second.url, first.url);
  await appendTo(second);
  await second.stop();
  assert.ok((await readdir(join(directory, "outside"))).includes("event-store"));
});

stores.run();
