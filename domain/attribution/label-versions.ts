import type { TouchpointKind } from "../touchpoints/events.ts";
import { type EventOrderKey, precedes } from "./event-order.ts";
import type { MatchType } from "./events.ts";
import { isTargetCategory } from "./target-event.ts";

/** The winner that an app event is attributed to. The moment is that of the decided target event. */
export interface Label extends EventOrderKey {
  /**
   * Position at which the decision takes effect: the target event's, for a revision the late touchpoint's
   * (contract/attribution.md#revisions).
   */
  readonly from: bigint;
  readonly sourceKey: bigint;
  readonly touchpointId: string;
  readonly touchpointKind: TouchpointKind;
  readonly matchedBy: MatchType;
}

/** The state of an app event at the log positions from `from` (inclusive) to `to` (exclusive). */
export interface Version {
  readonly from: bigint;
  readonly to: bigint;
  /** null: unattributed. */
  readonly label: Label | null;
  /** First of its category by device, and by user: null without a user (contract/attribution.md#first-installs). */
  readonly isFirstOfDevice: boolean;
  readonly isFirstOfUser: boolean | null;
}

/** A change that invalidates an event's versions from some position on. */
export type Change =
  | { readonly kind: "labelled"; readonly label: Label }
  /** An event of the category that happened before this one was recorded at position `from`. */
  | { readonly kind: "preceded"; readonly of: "device" | "user"; readonly from: bigint };

/** A decision with a winner. */
export interface Attribution {
  readonly eventId: string;
  readonly label: Label;
  /** Last instant of the attribution window, epoch milliseconds. */
  readonly windowEndsAt: number;
}

/**
 * Whether a decision's winner is the label of an event of the device, unless a later target event has another winner
 * (contract/attribution.md#target-events): a target event has only its own label, others that of an earlier target
 * event in whose attribution window they are.
 */
export function takesLabelOf(
  event: EventOrderKey & { readonly eventId: string; readonly category: string },
  { eventId, label, windowEndsAt }: Attribution,
): boolean {
  if (isTargetCategory(event.category)) return event.eventId === eventId;
  return precedes(label, event) && event.at <= windowEndsAt;
}

/**
 * The versions of one event after some changes. A label takes effect at its own position and replaces only labels of
 * earlier target events, and of earlier decisions on the same one; a replaced label is never restored. Changes commute
 * and are idempotent. Equal neighbouring versions are merged.
 */
export function applyLabelChanges(versions: readonly Version[], changes: readonly Change[]): readonly Version[] {
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
    if (last !== undefined && differOnlyInPositions(last, version))
      result[result.length - 1] = { ...last, to: version.to };
    else result.push(version);
  }
  return result;
}

/** Whether two versions of one event differ only in their positions. */
export function differOnlyInPositions(one: Version, other: Version): boolean {
  return (
    one.label?.position === other.label?.position &&
    one.label?.from === other.label?.from &&
    one.isFirstOfDevice === other.isFirstOfDevice &&
    one.isFirstOfUser === other.isFirstOfUser
  );
}
