import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ContextRefused } from "../../../domain/prediction/events.ts";
import { contextCallsProjection } from "../../../projections/prediction/projection.ts";
import { findCall } from "../../../projections/prediction/queries.ts";
import { exampleUuid, recordedAt } from "../../examples/recorded-log.ts";
import { openProjection } from "../one-projection.ts";
import { assertSameRowsForAnySplit } from "../split-property.ts";

const model = await openProjection(contextCallsProjection);
const id = (number: number): string => exampleUuid("call", number);

function call(
  stream: string,
  revision: bigint,
  number: number,
  appId = 1,
  code: ContextRefused["data"]["code"] = "CONTEXT_DATA_NOT_FOUND",
): RecordedEvent<ContextRefused> {
  const refused = {
    type: "ContextRefused",
    data: {
      requestId: id(number),
      appId,
      tokenId: "a".repeat(32),
      code,
      identifier: null,
      userId: null,
      installId: null,
      bundleId: null,
      features: null,
    },
  } as const;
  return { ...recordedAt(revision * 100n + 100n, refused), stream, revision };
}

const log = [
  call("contextCalls-1_a", 0n, 1),
  call("contextCalls-1_a", 1n, 2),
  call("contextCalls-1_b", 2n, 1),
  call("contextCalls-2_a", 3n, 1, 2),
  call("contextCalls-1_b", 4n, 2),
  // Its response was sent before its first record arrived.
  call("contextCalls-1_b", 5n, 4, 1, "CONTEXT_LOG_UNAVAILABLE"),
  call("contextCalls-1_a", 6n, 4),
];

const calls = suite("calls of the context endpoint");
calls.after(() => model.close());

calls("are found by app and request id, the last of an id", async () => {
  await model.rebuild(log);
  assert.equal(await findCall(model, 1, id(1)), { stream: "contextCalls-1_b", revision: 2n });
  assert.equal(await findCall(model, 1, id(2).toUpperCase()), { stream: "contextCalls-1_b", revision: 4n });
  assert.equal(await findCall(model, 1, id(4)), { stream: "contextCalls-1_b", revision: 5n });
  assert.equal(await findCall(model, 2, id(1)), { stream: "contextCalls-2_a", revision: 3n });
  for (const [appId, requestId] of [
    [2, id(2)],
    [1, id(3)],
    [1, "1"],
  ] as const) {
    assert.is(await findCall(model, appId, requestId), null);
  }
});

calls("are the same in any split into batches, and when some are applied again", async () => {
  await assertSameRowsForAnySplit(model.db, contextCallsProjection, log, 5);
});

calls.run();
