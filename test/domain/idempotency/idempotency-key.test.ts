import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { IdempotencyEvent } from "../../../domain/idempotency/events.ts";
import { idempotencyKey, unexpired } from "../../../domain/idempotency/idempotency-key.ts";
import { addRules, fold } from "../../support/decider-specification.ts";

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
const reused = { rejected: "IDEMPOTENCY_KEY_REUSED" } as const;
const claimedAgain = { type: "IdempotencyKeyClaimed", data: claim(dayLater, "other").data } as const;
const store = (changes: object = {}) => ({ type: "StoreAnswer", data: { ...answer, ...changes } }) as const;

const deciding = suite("an idempotency key");

addRules(deciding, idempotencyKey, [
  ["is claimed", [], claim(claimedAt), [claimed]],
  ["is claimed once", [claimed], claim(answeredAt), []],
  ["is not claimed again after its answer", [claimed, stored], claim(answeredAt), []],
  ["rejects another request", [claimed], claim(answeredAt, "other"), reused],
  ["rejects another request after its answer", [claimed, stored], claim(lastMoment, "other"), reused],
  ["can be claimed again 24 h after the answer", [claimed, stored], claim(dayLater, "other"), [claimedAgain]],
  ["stores the answer", [claimed], store(), [stored]],
  ["keeps the first answer", [claimed, stored], store({ status: 422 }), []],
  ["rejects the answer of another request", [claimed], store({ requestHash: "other" }), reused],
  ["rejects an answer without a claim", [], store(), reused],
]);

deciding("is free again 24 h after the response, and counts its claims", () => {
  assert.is(unexpired(after(claimed, stored), lastMoment).stage, "answered");
  assert.is(unexpired(after(claimed, stored), dayLater).stage, "free");
  const again = after(claimed, stored, claimedAgain);
  assert.equal(again, { stage: "claimed", requestHash: "other", claims: 2, since: dayLater });
});

deciding.run();
