import { suite } from "uvu";
import * as assert from "uvu/assert";
import { keptChannelMonths } from "../../infra/restricted-channels.ts";

const keeping = suite("what is known of channels and their months");

function answering(answer: () => Promise<boolean>) {
  const asked: string[] = [];
  const kept = keptChannelMonths({
    isSelfAttributing: (channel) => {
      asked.push(channel);
      return answer();
    },
    isSmallMonth: (appId, channel, month) => {
      asked.push(`${appId} ${channel} ${month}`);
      return answer();
    },
  });
  return { asked, kept };
}

keeping("is asked once by all who ask at a time, and kept for those that come soon", async () => {
  for (const isSo of [true, false]) {
    const { asked, kept } = answering(async () => isSo);
    const ask = () => [kept.isSelfAttributing("twitter"), kept.isSmallMonth(1, "twitter", "2026-03")];
    assert.equal(await Promise.all([...ask(), ...ask()]), [isSo, isSo, isSo, isSo]);
    await Promise.all(ask());
    assert.equal(asked, ["twitter", "1 twitter 2026-03"]);
  }
});

keeping("is told apart by app, channel and month", async () => {
  const { asked, kept } = answering(async () => true);
  await kept.isSmallMonth(1, "twitter", "2026-03");
  await kept.isSmallMonth(2, "twitter", "2026-03");
  await kept.isSmallMonth(1, "tiktok", "2026-03");
  await kept.isSmallMonth(1, "twitter", "2026-04");
  assert.is(asked.length, 4);
});

keeping("fails for all who wait, and is asked again by the next", async () => {
  const failures = [new Error("the database went away")];
  const { asked, kept } = answering(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return true;
  });
  const ask = () => kept.isSelfAttributing("twitter").catch((thrown: Error) => thrown.message);
  assert.equal(await Promise.all([ask(), ask()]), ["the database went away", "the database went away"]);
  assert.is(await ask(), true);
  assert.is(asked.length, 2);
});

keeping.run();
