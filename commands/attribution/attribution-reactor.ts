import type { Candidates } from "../../domain/attribution/candidate.ts";
import { decideAttribution } from "../../domain/attribution/decide-attribution.ts";
import type { AttributionRules } from "../../domain/attribution/events.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { LogPosition } from "../../domain/event.ts";
import { attributionStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { eachAtOnce } from "../reactors/concurrency-limit.ts";
import { createBell } from "../reactors/wake-signal.ts";
import { reactorMetadata } from "./reactor-metadata.ts";
import { type DueRevision, revise } from "./revise.ts";

export interface AttributionReactorDeps<Target extends TargetEvent> {
  readonly log: Pick<EventLog, "append" | "headPosition" | "read">;
  /** What decisions name as their request. */
  readonly runId: string;
  /** True once the facts can be read up to a position, false when that has not come about within `timeoutMs`. */
  factsHavePassed(position: LogPosition, timeoutMs: number): Promise<boolean>;
  /** Calls `listener` whenever there may be more to read in the facts; what it answers takes it off again. */
  onProgress(listener: () => void): () => void;
  /** Undecided target events at positions above `after`, the oldest `most`. */
  openTargets(after: bigint, most: number): Promise<readonly Target[]>;
  /** Revisions that are due because of late touchpoints, the oldest `most` by the position of the touchpoint. */
  openRevisions(most: number): Promise<readonly DueRevision<Target>[]>;
  /** What matches each of them at or below its position, in their order. */
  candidatesOf(targets: readonly Target[]): Promise<readonly Candidates[]>;
  /**
   * The rules in force at the position of each of them, in their order (contract/administration.md#attribution-rules).
   */
  rulesOf(targets: readonly Target[]): Promise<readonly AttributionRules[]>;
  /** Told of what went wrong; the reactor goes on. */
  failed(failure: unknown): void;
  now(): Date;
}

export interface AttributionReactor {
  /** Works until `signal` aborts; resolves when what was under way has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** For how many milliseconds it has known of target events that it has not decided; 0 when there is none. */
  lagMs(): number;
}

/** Target events that are taken from the to-do list at a time. */
const setSize = 200;
/** Decisions that are appended at the same time. */
const appendsAtOnce = 64;
/** The list is looked at so often when nobody rings, as when another process projects. */
const lookEveryMs = 500;
/** So often it is read from its start again, for a row that was opened behind the last one taken. */
const startOverMs = 60_000;
const headPatienceMs = 1_000;
const shortestBackoffMs = 100;
const longestBackoffMs = 5_000;

/**
 * Attributes target events: takes open ones in sets, oldest first, finds their candidates, decides purely and appends
 * each decision to a stream of its own. It remembers nothing that must be kept: a decision that is there already stays
 * as it is. What it has taken it does not take again while the projection catches up with the decisions. It starts when
 * the facts have passed the head of the log, so that a to-do list that is built anew is complete, decisions included.
 */
export function createAttributionReactor<Target extends TargetEvent>(
  deps: AttributionReactorDeps<Target>,
): AttributionReactor {
  /** Everything up to this position is taken. */
  let after = 0n;
  let startedOverAt = 0;
  let behindSince: number | null = null;
  /** Revisions that are appended and not projected yet. */
  let revised: ReadonlySet<string> = new Set();

  const decide = async (targets: readonly Target[]): Promise<void> => {
    const [candidates, rules] = await Promise.all([deps.candidatesOf(targets), deps.rulesOf(targets)]);
    const given = targets.flatMap((target, index) => {
      const [found, inForce] = [candidates[index], rules[index]];
      return found === undefined || inForce === undefined ? [] : [{ target, found, inForce }];
    });
    await eachAtOnce(appendsAtOnce, given, async ({ target, found, inForce }) => {
      const event = decideAttribution(target, found, inForce);
      // Another revision than expected: it has been decided before.
      await deps.log.append(attributionStream(target.appId, target.eventId), "no_stream", [
        { ...event, id: decisionId(target), metadata: reactorMetadata(target, target.eventId, deps.runId, deps.now()) },
      ]);
    });
  };

  const reviseDue = async (): Promise<boolean> => {
    const open = await deps.openRevisions(setSize);
    const keys = new Set(open.map(revisionKey));
    const done = new Set([...revised].filter((key) => keys.has(key)));
    revised = done;
    const due = open.filter((one) => !done.has(revisionKey(one)));
    if (due.length === 0) return open.length > 0;
    behindSince ??= deps.now().getTime();
    const [candidates, rules] = await Promise.all([
      deps.candidatesOf(due.map(({ target, late }) => ({ ...target, position: late.position }))),
      deps.rulesOf(due.map(({ target }) => target)),
    ]);
    const byEvent = new Map<string, number[]>();
    due.forEach(({ target }, index) => {
      const stream = attributionStream(target.appId, target.eventId);
      byEvent.set(stream, [...(byEvent.get(stream) ?? []), index]);
    });
    await eachAtOnce(appendsAtOnce, [...byEvent.values()], async (indexes) => {
      // One after the other: each is decided at the revision that the one before has left.
      for (const index of indexes) {
        const [one, found, inForce] = [due[index], candidates[index], rules[index]];
        if (one === undefined || found === undefined || inForce === undefined) return;
        if (!(await revise(deps, one, found, inForce))) return;
        done.add(revisionKey(one));
      }
    });
    return true;
  };

  const workOff = async (signal: AbortSignal): Promise<void> => {
    const now = deps.now().getTime();
    if (now - startedOverAt >= startOverMs) {
      startedOverAt = now;
      after = 0n;
    }
    while (!signal.aborted) {
      const targets = await deps.openTargets(after, setSize);
      const last = targets.at(-1);
      if (last === undefined) {
        if (!(await reviseDue())) behindSince = null;
        return;
      }
      behindSince ??= deps.now().getTime();
      await decide(targets);
      after = last.position;
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const bell = createBell(signal);
    const stopListening = deps.onProgress(bell.ring);
    let hasStarted = false;
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (!hasStarted) hasStarted = await untilHeadPassed(deps, signal);
        await workOff(signal);
        failures = 0;
        await bell.rung(lookEveryMs);
      } catch (failure) {
        deps.failed(failure);
        failures += 1;
        await bell.silence(Math.min(longestBackoffMs, shortestBackoffMs * 2 ** (failures - 1)));
      }
    }
    stopListening();
  };

  return { run, lagMs: () => (behindSince === null ? 0 : deps.now().getTime() - behindSince) };
}

async function untilHeadPassed(
  { log, factsHavePassed }: Pick<AttributionReactorDeps<TargetEvent>, "log" | "factsHavePassed">,
  signal: AbortSignal,
): Promise<boolean> {
  const head = await log.headPosition();
  while (!signal.aborted) if (head === null || (await factsHavePassed(head, headPatienceMs))) return true;
  return false;
}

/** The same for the same target event, so that an append whose outcome is unknown is repeated safely. */
function decisionId({ appId, eventId }: TargetEvent): string {
  return derivedUuid("attribution", appId, eventId);
}

function revisionKey({ target, late }: DueRevision<TargetEvent>): string {
  return `${target.appId} ${target.eventId} ${late.touchpointId}`;
}
