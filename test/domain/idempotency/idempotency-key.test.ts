import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold } from "../../../domain/decider.ts";
import type { IdempotencyEvent } from "../../../domain/idempotency/events.ts";
import { idempotencyKey, unexpired } from "../../../domain/idempotency/idempotency-key.ts";
import { specification } from "../../support/specification.ts";

const claimedAt = "2026-03-01T00:00:00.000Z";
const answeredAt = "2026-03-01T00:00:01.000Z";
const lastMoment = "2026-03-02T00:00:00.999Z";
const dayLater = "2026-03-02T00:00:01.000Z";
const key = { appId: 1, keyHash: "key", requestHash: "request" };
const claimed = { type: "IdempotencyKeyClaimed", data: { ...key, claimedAt } } as const;
const answer = { ...key, status: 200, mediaType: null, body: null, answeredAt };
const stored = { type: "AnswerStored", data: answer } as const;
const after = (...events: readonly IdempotencyEvent[]) => fold(idempotencyKey, events);
const claim = (at: string, requestHash = "request") =>
  ({ type: "ClaimKey", data: { ...key, requestHash, claimedAt: at } }) as const;
const { given } = specification(idempotencyKey);
const reused = { rejected: "IDEMPOTENCY_KEY_REUSED" } as const;

const deciding = suite("an idempotency key");

deciding("that is free is claimed, once", () => {
  given().when(claim(claimedAt)).then([claimed]);
  given(claimed).when(claim(answeredAt)).then([]);
  given(claimed, stored).when(claim(answeredAt)).then([]);
});

deciding("that another request has is refused, before and after its answer", () => {
  given(claimed).when(claim(answeredAt, "other")).then(reused);
  given(claimed, stored).when(claim(lastMoment, "other")).then(reused);
});

deciding("is free again 24 h after the answer, and knows that it was claimed before", () => {
  assert.is(unexpired(after(claimed, stored), lastMoment).stage, "answered");
  assert.is(unexpired(after(claimed, stored), dayLater).stage, "free");
  const again = claim(dayLater, "other");
  const [claimedAgain] = [{ type: "IdempotencyKeyClaimed", data: again.data } as const];
  given(claimed, stored).when(again).then([claimedAgain]);
  assert.equal(after(claimed, stored, claimedAgain), {
    stage: "claimed",
    requestHash: "other",
    claims: 2,
    since: dayLater,
  });
});

deciding("keeps the first answer of the request that has it", () => {
  const store = { type: "StoreAnswer", data: answer } as const;
  given(claimed).when(store).then([stored]);
  given(claimed, stored)
    .when({ ...store, data: { ...answer, status: 422 } })
    .then([]);
  given(claimed)
    .when({ ...store, data: { ...answer, requestHash: "other" } })
    .then(reused);
  given().when(store).then(reused);
});

deciding.run();
