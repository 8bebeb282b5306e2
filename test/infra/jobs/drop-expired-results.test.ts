import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Attempt } from "../../../commands/reactors/reactor.ts";
import { dropExpiredResults } from "../../../infra/jobs/drop-expired-results.ts";

const attempt: Attempt = { epoch: 1n, signal: AbortSignal.timeout(10_000) };

const retention = suite("the retention of results");

retention("deletes the results of expired reports, every hour, and appends nothing", async () => {
  let expired: readonly string[] = ["first", "second"];
  const reactor = dropExpiredResults({
    expired: async () => expired,
    drop: async (taskIds) => {
      expired = expired.filter((taskId) => !taskIds.includes(taskId));
    },
  });
  const [work, ...others] = await reactor.open(1);
  assert.equal([work, others], [{ appId: null, taskIds: ["first", "second"] }, []]);
  if (work !== undefined) assert.is(await reactor.act(work, attempt), null);
  assert.equal([expired, await reactor.open(1), reactor.schedule], [[], [], "17 * * * *"]);
});

retention.run();
