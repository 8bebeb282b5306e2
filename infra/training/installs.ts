import { type FeatureName, featureNames } from "../../domain/prediction/features.ts";
import { bytes, column, doubles, words } from "./column.ts";
import type { IdNumbers } from "./id-numbers.ts";

const day = 86_400_000;
/** What both predictions look at: so long after the install, the end included (contract/prediction.md#training). */
export const horizonMs = 3 * day;
/** An install must be older than this for its labels to stand (contract/prediction.md#training). */
export const trainingAgeMs = 10 * day;

/** The features in the order in which they stand in rows of installs. */
export const columnNames: readonly FeatureName[] = featureNames;

/** Every install of an app, in the order of the log, with its features and what became of it. */
export interface Installs {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly at: Float64Array;
  /** A row of doubles for each install, in the order of {@link columnNames}. */
  readonly features: Float64Array;
  /** 1 where an order of the device followed within 3 days (contract/prediction.md#training). */
  readonly purchased: Uint8Array;
  /** 1 where no app event of the device came later than 3 days after (contract/prediction.md#training). */
  readonly churned: Uint8Array;
  /** 32 bits by the install event's id and a seed, whatever else is in the log. */
  hash(install: number, seed: number): number;
}

/** Collects installs and what their devices did; the order in which events come does not change the labels. */
export interface InstallCollector {
  addInstall(eventNumber: number, device: number, at: number, features: readonly number[]): void;
  /** Tells of any app event, installs among them. */
  addEvent(device: number, at: number, isOrder: boolean): void;
  /** Whether the device has an install so far that happened at or before an instant. */
  hasInstalled(device: number, at: number): boolean;
  collected(): Installs;
}

/** @param eventIds gave the events their numbers */
export function installCollector(eventIds: IdNumbers): InstallCollector {
  const eventNumbers = column(words);
  const devices = column(words);
  const at = column(doubles);
  const features = column(doubles);
  /** By device: its first install so far and its last app event, plus 1; 0 stands for none. */
  const firstInstall = column(doubles);
  const lastEvent = column(doubles);
  /** Orders as a list for each device: its latest in the log and of each order the one before, plus 1. */
  const lastOrder = column(words);
  const orderAt = column(doubles);
  const orderBefore = column(words);

  const hasOrderWithin = (device: number, from: number, to: number): boolean => {
    for (let order = lastOrder.get(device); order !== 0; order = orderBefore.get(order - 1)) {
      const orderedAt = orderAt.get(order - 1);
      if (orderedAt >= from && orderedAt <= to) return true;
    }
    return false;
  };

  return {
    addInstall: (eventNumber, device, installedAt, row) => {
      eventNumbers.push(eventNumber);
      devices.push(device);
      at.push(installedAt);
      for (const value of row) features.push(value);
      const first = firstInstall.get(device);
      if (first === 0 || installedAt + 1 < first) firstInstall.set(device, installedAt + 1);
    },
    addEvent: (device, happenedAt, isOrder) => {
      lastEvent.set(device, Math.max(lastEvent.get(device), happenedAt + 1));
      if (!isOrder) return;
      orderAt.push(happenedAt);
      orderBefore.push(lastOrder.get(device));
      lastOrder.set(device, orderAt.length());
    },
    hasInstalled: (device, until) => {
      const first = firstInstall.get(device);
      return first !== 0 && first - 1 <= until;
    },
    collected: () => {
      const purchased = column(bytes);
      const churned = column(bytes);
      for (let install = 0; install < at.length(); install += 1) {
        const device = devices.get(install);
        const until = at.get(install) + horizonMs;
        purchased.push(hasOrderWithin(device, at.get(install), until) ? 1 : 0);
        churned.push(lastEvent.get(device) - 1 > until ? 0 : 1);
      }
      return {
        count: at.length(),
        at: at.values(),
        features: features.values(),
        purchased: purchased.values(),
        churned: churned.values(),
        hash: (install, seed) => eventIds.mixed(eventNumbers.get(install), seed),
      };
    },
  };
}
