import { assertNever, type Decider, type Rejection } from "../decider.ts";
import { dayMs } from "../values/instants.ts";
import type { AnswerStored, IdempotencyEvent, IdempotencyKeyClaimed } from "./events.ts";

/** Claims a key for a request, if it is free or has expired. */
export interface ClaimKey {
  readonly type: "ClaimKey";
  readonly data: IdempotencyKeyClaimed["data"];
}

/** Stores the response to the request that has claimed the key. */
export interface StoreAnswer {
  readonly type: "StoreAnswer";
  readonly data: AnswerStored["data"];
}

export type IdempotencyCommand = ClaimKey | StoreAnswer;

interface Claimed {
  readonly requestHash: string;
  /** Number of claims so far: an expired key can be claimed again by another request. */
  readonly claims: number;
  /** Time of the claim, then of the response. */
  readonly since: string;
}

export type IdempotencyState =
  | { readonly stage: "free" }
  | ({ readonly stage: "claimed" } & Claimed)
  | ({ readonly stage: "answered"; readonly answer: AnswerStored["data"] } & Claimed);

export type IdempotencyRejection = "IDEMPOTENCY_KEY_REUSED";

type Decision = readonly IdempotencyEvent[] | Rejection<IdempotencyRejection>;

/** Retention period of a response (contract/http.md#idempotency). */
const retentionMs = dayMs;

function decide(command: IdempotencyCommand, state: IdempotencyState): Decision {
  switch (command.type) {
    case "ClaimKey":
      return claimKey(command.data, state);
    case "StoreAnswer":
      return storeAnswer(command.data, state);
    default:
      return assertNever(command);
  }
}

function claimKey(data: ClaimKey["data"], state: IdempotencyState): Decision {
  const current = unexpired(state, data.claimedAt);
  if (current.stage === "free") return [{ type: "IdempotencyKeyClaimed", data }];
  return current.requestHash === data.requestHash ? [] : { rejected: "IDEMPOTENCY_KEY_REUSED" };
}

function storeAnswer(data: StoreAnswer["data"], state: IdempotencyState): Decision {
  if (state.stage === "free" || state.requestHash !== data.requestHash) return { rejected: "IDEMPOTENCY_KEY_REUSED" };
  return state.stage === "claimed" ? [{ type: "AnswerStored", data }] : [];
}

function evolve(state: IdempotencyState, event: IdempotencyEvent): IdempotencyState {
  const { requestHash } = event.data;
  switch (event.type) {
    case "IdempotencyKeyClaimed": {
      const claims = state.stage === "free" ? 1 : state.claims + 1;
      return { stage: "claimed", requestHash, claims, since: event.data.claimedAt };
    }
    case "AnswerStored": {
      const claims = state.stage === "free" ? 0 : state.claims;
      return { stage: "answered", requestHash, claims, since: event.data.answeredAt, answer: event.data };
    }
    default:
      return assertNever(event);
  }
}

/** The state at an instant (ISO 8601): free after the retention period. */
export function unexpired(state: IdempotencyState, now: string): IdempotencyState {
  return state.stage === "free" || Date.parse(now) - Date.parse(state.since) < retentionMs ? state : { stage: "free" };
}

/** One `Idempotency-Key` of an app (contract/http.md#idempotency). */
export const idempotencyKey: Decider<IdempotencyCommand, IdempotencyEvent, IdempotencyState, IdempotencyRejection> = {
  initialState: { stage: "free" },
  decide,
  evolve,
};
