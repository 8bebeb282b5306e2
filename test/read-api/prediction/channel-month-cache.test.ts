import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cachedChannelMonths } from "../../../read-api/prediction/channel-month-cache.ts";

const caching = suite("cached channel months");

function answering(answer: () => Promise<boolean>) {
  const queries: string[] = [];
  const cached = cachedChannelMonths({
    isSelfAttributing: (channel) => {
      queries.push(channel);
      return answer();
    },
    isSmallMonth: (appId, channel, month) => {
      queries.push(`${appId} ${channel} ${month}`);
      return answer();
    },
  });
  return { queries, cached };
}

caching("share one look-up among concurrent queries, and serve the next ones from the cache", async () => {
  for (const isSo of [true, false]) {
    const { queries, cached } = answering(async () => isSo);
    const ask = () => [cached.isSelfAttributing("twitter"), cached.isSmallMonth(1, "twitter", "2026-03")];
    assert.equal(await Promise.all([...ask(), ...ask()]), [isSo, isSo, isSo, isSo]);
    await Promise.all(ask());
    assert.equal(queries, ["twitter", "1 twitter 2026-03"]);
  }
});

caching("are cached by app, channel and month", async () => {
  const { queries, cached } = answering(async () => true);
  await cached.isSmallMonth(1, "twitter", "2026-03");
  await cached.isSmallMonth(2, "twitter", "2026-03");
  await cached.isSmallMonth(1, "tiktok", "2026-03");
  await cached.isSmallMonth(1, "twitter", "2026-04");
  assert.is(queries.length, 4);
});

caching("reject for all that wait for a failed look-up, and are looked up again by the next", async () => {
  const failures = [new Error("the database went away")];
  const { queries, cached } = answering(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return true;
  });
  const ask = () => cached.isSelfAttributing("twitter").catch((thrown: Error) => thrown.message);
  assert.equal(await Promise.all([ask(), ask()]), ["the database went away", "the database went away"]);
  assert.is(await ask(), true);
  assert.is(queries.length, 2);
});

caching.run();
