import type { FreeSpace } from "../data-directory/free-space.ts";
import { type AppendDecision, decideAppend, type Expectation } from "./append-rules.ts";
import { createIdempotencyWindow } from "./idempotency-window.ts";
import { PendingChanges, type Place } from "./pending-changes.ts";
import type { ProposedEvent } from "./proposed-event.ts";
import type { Storage } from "./storage.ts";

export type AppendOutcome =
  /** Of its last event; the end of the log when it was empty. */
  | { readonly kind: "appended"; readonly revision: number; readonly position: number }
  | { readonly kind: "wrong_expected_revision"; readonly lastRevision: number }
  | { readonly kind: "stream_closed" };

/** The disk is nearly full: nothing is written until there is room again. */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/** The deadline of an append had passed when it was to be decided: nothing is written. */
export class AppendExpired extends Error {
  override readonly name = "AppendExpired";
}

interface Waiting {
  readonly decide: (changes: PendingChanges) => AppendOutcome;
  /** By `Date.now()`. */
  readonly expiresAt: number;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum bytes in one commit, so that none takes long. A single append may be larger. */
const maxCommitBytes = 4 * 1024 * 1024;

/**
 * The only writer, with group commit: appends are decided one after the other; while one commit is in flight, those that
 * arrive form the next one. An append resolves when its commit is on disk.
 */
export class Writer {
  private readonly storage: Storage;
  private readonly onCommit: (streams: Iterable<string>) => void;
  private readonly disk: FreeSpace;
  private readonly idempotencyWindow = createIdempotencyWindow();
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;

  constructor(storage: Storage, disk: FreeSpace, onCommit: (streams: Iterable<string>) => void) {
    this.storage = storage;
    this.disk = disk;
    this.onCommit = onCommit;
  }

  /**
   * @throws {DiskFull}
   * @throws {DamagedEvent} when an event that it has to be compared with is damaged
   * @throws {AppendExpired} when it is not decided before `expiresAt`, by `Date.now()`
   */
  append(
    stream: string,
    expected: Expectation,
    events: readonly ProposedEvent[],
    expiresAt = Number.POSITIVE_INFINITY,
  ): Promise<AppendOutcome> {
    const ids = events.map((event) => event.id);
    return this.enqueue((changes) => {
      const decision = decideAppend(changes.facts(stream), expected, ids);
      if (decision.kind !== "write") return refusal(changes, stream, decision);
      if (events.length === 0)
        return { kind: "appended", revision: changes.stream(stream).lastRevision, position: changes.head };
      return appended(changes.write(stream, events));
    }, expiresAt);
  }

  /** Closes a stream for ever when it is at the expected revision. */
  tombstone(stream: string, expected: Expectation, id: string): Promise<AppendOutcome> {
    return this.enqueue((changes) => {
      const decision = decideAppend(changes.facts(stream), expected, [id]);
      if (decision.kind !== "write") return refusal(changes, stream, decision);
      const { lastRevision } = changes.stream(stream);
      return { kind: "appended", revision: lastRevision, position: changes.close(stream, id) };
    });
  }

  /** Deletes a stream when it is at the expected revision: the next append to it goes on with its revisions. */
  delete(stream: string, expected: Expectation, id: string): Promise<AppendOutcome> {
    return this.enqueue((changes) => {
      const decision = decideAppend(changes.facts(stream), expected, [id]);
      if (decision.kind !== "write") return refusal(changes, stream, decision);
      const { lastRevision, metadata } = changes.stream(stream);
      if (lastRevision < 0 && metadata === null) return { kind: "wrong_expected_revision", lastRevision };
      return { kind: "appended", revision: lastRevision, position: changes.delete(stream, id) };
    });
  }

  /** Resolves when everything accepted so far is on disk. */
  async drained(): Promise<void> {
    await this.running;
  }

  private enqueue(decide: Waiting["decide"], expiresAt = Number.POSITIVE_INFINITY): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ decide, expiresAt, resolve, reject });
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    // What arrives in the same turn shares the first commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.commitNext();
    this.running = null;
  }

  private async commitNext(): Promise<void> {
    const changes = new PendingChanges(this.storage, this.idempotencyWindow);
    const resolutions: (() => void)[] = [];
    const taken: Waiting[] = [];
    try {
      while (changes.size < maxCommitBytes) {
        const next = this.waiting.shift();
        if (!next) break;
        if (Date.now() > next.expiresAt) {
          next.reject(new AppendExpired());
          continue;
        }
        const { length } = changes.events;
        try {
          const outcome = next.decide(changes);
          resolutions.push(() => next.resolve(outcome));
          taken.push(next);
        } catch (error) {
          next.reject(error);
          // One that wrote nothing fails alone.
          if (changes.events.length > length) throw error;
        }
      }
      if (changes.events.length > 0) {
        if (!this.disk.hasRoomFor(changes.size)) throw new DiskFull("the disk of the event store is nearly full");
        await this.storage.commit(changes);
        this.onCommit(changes.streams.keys());
      }
      for (const resolve of resolutions) resolve();
    } catch (error) {
      this.idempotencyWindow.clear();
      for (const each of taken) each.reject(error);
    }
  }
}

function appended({ revision, position }: Place): AppendOutcome {
  return { kind: "appended", revision, position };
}

function refusal(
  changes: PendingChanges,
  stream: string,
  decision: Exclude<AppendDecision, { kind: "write" }>,
): AppendOutcome {
  if (decision.kind === "stream_closed") return decision;
  const { number, lastRevision } = changes.stream(stream);
  if (decision.kind === "wrong_expected_revision") return { kind: "wrong_expected_revision", lastRevision };
  const { revision } = decision;
  return { kind: "appended", revision, position: changes.positionOf(number, revision) };
}
