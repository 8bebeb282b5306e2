import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog } from "../../commands/log-id.ts";
import { startTestLog } from "../support/event-store.ts";

const now = "2026-03-01T00:00:00.000Z";
const opening = suite("opening the log");

opening("gives an empty log an id, in its first event, for ever", async () => {
  const { log, close } = await startTestLog();
  const ids = await Promise.all([openLog(log, now), openLog(log, now), openLog(log, now)]);
  assert.is(new Set([...ids, await openLog(log, now)]).size, 1);
  const events = [];
  for await (const { stream, type, data } of log.readAll("start", 10)) events.push({ stream, type, data });
  assert.equal(events, [{ stream: "log-identity", type: "LogOpened", data: { logId: ids[0] } }]);
  await close();
});

opening.run();
