import { type IdempotencyState, idempotencyKey, unexpired } from "../../domain/idempotency/idempotency-key.ts";
import { idempotencyStream, type StreamName } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { HeldKey, KeyedRequests, StoredResponse } from "../../infra/http/routing/idempotency.ts";
import { derivedUuid, sha256 } from "../derived-ids.ts";
import { causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { createKeyedMutex } from "../mutex.ts";
import { problemOf } from "../rejection-statuses.ts";
import { readState } from "../state-cache.ts";

export interface KeyedRequestOptions {
  readonly log: EventLog;
  readonly now?: () => Date;
}

/**
 * Stores requests by their `Idempotency-Key` (contract/http.md#idempotency) in streams of the log, which all processes
 * share. A key is claimed before the work, its response stored after it: a retry after a crash in between finds the
 * claim and repeats the work with the same derived ids, so that it takes effect once. Which responses are stored is in
 * `infra/http/routing/idempotency.ts`.
 */
export function createKeyedRequests({ log, now = () => new Date() }: KeyedRequestOptions): KeyedRequests {
  const oneAtATime = createKeyedMutex();

  return {
    withKey(appId, key, use) {
      const keyHash = sha256(key).toString("hex");
      const stream = idempotencyStream(appId, keyHash);
      return oneAtATime(stream, async () => use(await hold(log, now, stream, { appId, keyHash })));
    },
  };
}

async function hold(
  log: EventLog,
  now: () => Date,
  stream: StreamName<"idempotency">,
  key: { readonly appId: number; readonly keyHash: string },
): Promise<HeldKey> {
  const instant = (): string => now().toISOString();
  const { state } = await readState(log, idempotencyKey, stream);
  return {
    isAnswered: unexpired(state, instant()).stage === "answered",

    async claim(requestHash, caller) {
      const command = { type: "ClaimKey", data: { ...key, requestHash, claimedAt: instant() } } as const;
      const claimId = derivedUuid(caller.requestId, "claim");
      const claimed = await handleCommand(log, idempotencyKey, stream, claimId, command, causeOf(caller));
      if (claimed.outcome === "rejected") return { outcome: "refused", problem: problemOf(claimed.rejection) };
      const { state: taken, position } = claimed;
      if (taken.stage === "answered") return { outcome: "answered", response: responseIn(taken), position };
      if (taken.stage === "free") throw new Error("A key is free after its claim");
      return { outcome: "claimed", commandId: derivedUuid(stream, requestHash, taken.claims), claimedAt: taken.since };
    },

    async store(requestHash, response, caller) {
      const data = { ...key, requestHash, ...response, answeredAt: instant() };
      const storeId = derivedUuid(caller.requestId, "answer");
      const command = { type: "StoreAnswer", data } as const;
      const stored = await handleCommand(log, idempotencyKey, stream, storeId, command, causeOf(caller));
      return stored.outcome === "handled" && stored.state.stage === "answered" ? responseIn(stored.state) : response;
    },
  };
}

function responseIn({ answer }: Extract<IdempotencyState, { readonly stage: "answered" }>): StoredResponse {
  const { status, mediaType, body, language = "en" } = answer;
  return { status, mediaType, body, language };
}
