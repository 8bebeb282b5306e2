// time limit: 180 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDate } from "../../domain/values/local-time.ts";
import { runShop } from "../support/running-shop.ts";

const links = Array.from({ length: 100 }, (_, index) => ({ channel: "x", campaignParams: { campaign: `c${index}` } }));

const test = suite("kill -9 under requests with an Idempotency-Key");

test("a retry completes what was begun and doubles nothing", async () => {
  const shop = await runShop();
  try {
    const today = localDate("Asia/Seoul", Date.now());
    const createAll = async (key: string) => {
      const response = await fetch(`${shop.application.run.baseUrl}/v1/tracking-links/bulk`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${shop.tokens.api}`,
          "Content-Type": "application/json",
          "Idempotency-Key": key,
        },
        body: JSON.stringify({ links }),
      });
      return { status: response.status, text: await response.text() };
    };
    const created = async (): Promise<number> => {
      const owner = shop.application.client(shop.tokens.api);
      const list = await owner.send("GET", `/v1/tracking-links?from=2026-01-01&to=${today}&size=1`);
      return (list as { data: { totalCount: number } }).data.totalCount;
    };

    // When the process dies after the first of the links, before or after the answer
    let ended = false;
    const dying = createAll("first")
      .catch(() => null)
      .finally(() => {
        ended = true;
      });
    while (!ended && (await created()) === 0);
    await Promise.all([shop.restart(), dying]);

    // Then two concurrent retries leave one hundred links
    const [retry, another] = await Promise.all([createAll("first"), createAll("first")]);
    assert.is(retry.status, 200);
    assert.equal(another, retry);
    assert.is(await created(), links.length);
    assert.is((await createAll("second")).status, 200);
    assert.is(await created(), 2 * links.length);
  } finally {
    await shop.end();
  }
});

test.run();
