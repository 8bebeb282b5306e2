import { suite } from "uvu";
import * as assert from "uvu/assert";
import { claimLog, LogOfAnotherInstance } from "../../commands/claim-log.ts";
import { startTestLog } from "../support/event-store.ts";

const now = "2026-03-01T00:00:00.000Z";
const claim = (databaseId: string, takesOver = false) => ({ databaseId, takesOver, now });

const claiming = suite("claiming the log");

claiming("is done once by the processes of one instance, and refused to another until it takes over", async () => {
  const { log, close } = await startTestLog();
  const one = Array.from({ length: 3 }, () => claimLog(log, claim("one")));
  await Promise.all([...one, claimLog(log, claim("one"))]);
  const refusal = await claimLog(log, claim("two")).then(
    () => null,
    (error) => error,
  );
  assert.instance(refusal, LogOfAnotherInstance);
  assert.match(refusal.message, /has used these streams of the event store since 2026-03-01T00:00:00\.000Z/);
  await claimLog(log, claim("two", true));
  await claimLog(log, claim("two"));
  assert.instance(
    await claimLog(log, claim("one")).then(
      () => null,
      (error) => error,
    ),
    LogOfAnotherInstance,
  );
  const events = [];
  for await (const { stream, type, data } of log.readAll("start", 10)) events.push([stream, type, data]);
  assert.equal(events, [
    ["logClaims-all", "LogClaimed", { databaseId: "one" }],
    ["logClaims-all", "LogClaimed", { databaseId: "two" }],
  ]);
  await close();
});

claiming("goes to one of two instances that start at the same time", async () => {
  const { log, close } = await startTestLog();
  const outcomes = await Promise.allSettled(["one", "two"].map((databaseId) => claimLog(log, claim(databaseId))));
  assert.equal(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await close();
});

claiming.run();
