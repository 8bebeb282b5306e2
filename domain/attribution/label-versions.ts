import type { TouchpointKind } from "../touchpoints/events.ts";
import { type Moment, precedes } from "./event-order.ts";
import type { MatchType } from "./events.ts";
import { isTargetCategory } from "./target-event.ts";

/** Whose winner an app event carries. The moment is that of the target event that was decided. */
export interface Label extends Moment {
  /**
   * Where the decision takes effect: at the target event's position, a revision at the late touchpoint's
   * (contract/attribution.md#revisions).
   */
  readonly from: bigint;
  readonly sourceKey: bigint;
  readonly touchpointId: string;
  readonly touchpointKind: TouchpointKind;
  readonly matchedBy: MatchType;
}

/** What is known of an app event at the log positions from `from` (inclusive) to `to` (exclusive). */
export interface Version {
  readonly from: bigint;
  readonly to: bigint;
  /** null: unattributed. */
  readonly label: Label | null;
  /** First of its category by device, and by user: null without a user (contract/attribution.md#first-installs). */
  readonly isFirstOfDevice: boolean;
  readonly isFirstOfUser: boolean | null;
}

/** What makes an event's past versions wrong from some position on. */
export type Change =
  | { readonly kind: "labelled"; readonly label: Label }
  /** An event of the category has come up at position `from` that happened before this one. */
  | { readonly kind: "preceded"; readonly of: "device" | "user"; readonly from: bigint };

/** A decision that somebody won. */
export interface Attribution {
  readonly eventId: string;
  readonly label: Label;
  /** Last instant at which the winner holds, epoch milliseconds. */
  readonly windowEndsAt: number;
}

/**
 * Whether an event of the device carries a decision's winner unless a later target event has another winner
 * (contract/attribution.md#target-events): a target event its own only, any other that of a target event before it,
 * inside the attribution window.
 */
export function isReachedBy(
  event: Moment & { readonly eventId: string; readonly category: string },
  { eventId, label, windowEndsAt }: Attribution,
): boolean {
  if (isTargetCategory(event.category)) return event.eventId === eventId;
  return precedes(label, event) && event.at <= windowEndsAt;
}

/**
 * The versions of one event after some changes. A label takes effect at its own position and replaces only labels of
 * earlier target events, and of earlier decisions on the same one; what an event has lost it never gets back. The order
 * of the changes does not matter, nor does making one twice. Neighbours that say the same are one version.
 */
export function revised(versions: readonly Version[], changes: readonly Change[]): readonly Version[] {
  return joined(changes.reduce(changed, versions));
}

function changed(versions: readonly Version[], change: Change): readonly Version[] {
  const from = change.kind === "labelled" ? change.label.from : change.from;
  return versions.flatMap((version) => {
    const after = changedVersion(version, change);
    if (after === version || version.to <= from) return [version];
    if (version.from >= from) return [after];
    return [
      { ...version, to: from },
      { ...after, from },
    ];
  });
}

function changedVersion(version: Version, change: Change): Version {
  if (change.kind === "labelled") {
    return version.label === null || isReplacedBy(version.label, change.label)
      ? { ...version, label: change.label }
      : version;
  }
  if (change.of === "device") return version.isFirstOfDevice ? { ...version, isFirstOfDevice: false } : version;
  return version.isFirstOfUser ? { ...version, isFirstOfUser: false } : version;
}

function isReplacedBy(label: Label, other: Label): boolean {
  if (label.position === other.position) return label.from < other.from;
  return precedes(label, other);
}

function joined(versions: readonly Version[]): readonly Version[] {
  const result: Version[] = [];
  for (const version of versions) {
    const last = result.at(-1);
    if (last !== undefined && saySame(last, version)) result[result.length - 1] = { ...last, to: version.to };
    else result.push(version);
  }
  return result;
}

/** Whether two versions of one event differ in nothing but when they hold. */
export function saySame(one: Version, other: Version): boolean {
  return (
    one.label?.position === other.label?.position &&
    one.label?.from === other.label?.from &&
    one.isFirstOfDevice === other.isFirstOfDevice &&
    one.isFirstOfUser === other.isFirstOfUser
  );
}
