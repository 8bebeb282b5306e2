// time limit: 20 s
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { openSpool, SpoolFull } from "../../../infra/spool/spool.ts";
import { openLogIn } from "../../support/event-store.ts";
import {
  all,
  appended,
  errorOf,
  idsOf,
  newStream,
  someEvents,
  temporaryDirectory,
} from "../event-log/event-log-client.ts";

const directory = temporaryDirectory();

/** The log of the directory; with a reserve that no disk has when it is full. */
const openLog = (isFull: boolean) =>
  openLogIn(join(directory.path, "store"), { reserveBytes: isFull ? Number.MAX_SAFE_INTEGER : 0 });

const full = suite("a disk that is nearly full");
full.after(() => directory.remove());

full("makes the event store refuse appends, which still starts and reads, until there is space again", async () => {
  const stream = newStream();
  const events = someEvents(3);
  const before = await openLog(false);
  await appended(before.log, stream, "no_stream", events);
  await before.close();

  const during = await openLog(true);
  assert.instance(await errorOf(during.log.append(stream, 2n, someEvents(1))), EventLogUnavailable);
  assert.equal(idsOf(await all(during.log.read(stream))), idsOf(events));
  // A repeated append needs no room.
  assert.is((await during.log.append(stream, "no_stream", events)).outcome, "appended");
  await during.close();

  const after = await openLog(false);
  await appended(after.log, stream, 2n, someEvents(1));
  await after.close();
});

full("is refused by the spool", async () => {
  const options = { limitBytes: 1_000_000, logId: "a-log", directory: join(directory.path, "spool") };
  const spool = openSpool({ ...options, reserveBytes: Number.MAX_SAFE_INTEGER });
  const batch = { stream: newStream(), expected: "no_stream", events: someEvents(1) } as const;
  assert.instance(await errorOf(spool.write(batch)), SpoolFull);
  assert.is(spool.isEmpty(), true);
  await spool.close();
});

full.run();
