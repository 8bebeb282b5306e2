import { type FeatureName, featureNames } from "../../domain/prediction/features.ts";
import { dayMs } from "../../domain/values/instants.ts";
import { bytes, column, doubles, type IdNumbers, words } from "./typed-columns.ts";

/** Both predictions are about this time after the install, its end included (contract/prediction.md#training). */
const horizonMs = 3 * dayMs;
/** Labels of older installs are final (contract/prediction.md#training). */
export const trainingAgeMs = 10 * dayMs;

/** The features in the order of the columns of {@link Installs.features}. */
export const columnNames: readonly FeatureName[] = featureNames;

/** Every install of an app, in the order of the log, with its features and labels. */
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
  /** A hash of 32 bits of the id of the install event and a seed. */
  hash(install: number, seed: number): number;
}

/** Collects installs and later events of their devices; the order of events does not affect the labels. */
interface InstallCollector {
  addInstall(eventNumber: number, device: number, at: number, features: readonly number[]): void;
  /** Adds any app event, also an install. */
  addEvent(device: number, at: number, isOrder: boolean): void;
  /** Whether an install of the device at or before an instant was added. */
  hasInstalled(device: number, at: number): boolean;
  collected(): Installs;
}

/** @param eventIds numbering of the events */
export function installCollector(eventIds: IdNumbers): InstallCollector {
  const eventNumbers = column(words);
  const devices = column(words);
  const at = column(doubles);
  const features = column(doubles);
  /** By device: first install and last app event so far, plus 1; 0: none. */
  const firstInstall = column(doubles);
  const lastEvent = column(doubles);
  /** Orders as a linked list for each device: its latest in the log, and the one before each order, plus 1. */
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

/** Installs to learn from: old enough, with every feature within float32. */
export interface TrainingInput {
  readonly count: number;
  /** Rows of float32, as the models take them. */
  readonly rows: Float32Array;
  /** Epoch milliseconds. */
  readonly at: Float64Array;
  readonly purchased: Uint8Array;
  readonly churned: Uint8Array;
  /** 1: held out of training; depends on the id of the install and the seed only. */
  readonly heldOut: Uint8Array;
  /** 1: of the others, used to choose the number of rounds. */
  readonly tuning: Uint8Array;
  /** Left out, as their labels are not final. */
  readonly tooYoung: number;
  /** Left out, as a feature is not a finite float32. */
  readonly outOfRange: number;
}

const parts = 5;

/** The input of training at `now` (epoch milliseconds); a fifth is held out, independent of the order of the log. */
export function trainingInput(installs: Installs, now: number, seed: number): TrainingInput {
  const width = columnNames.length;
  const chosen: number[] = [];
  let tooYoung = 0;
  for (let install = 0; install < installs.count; install += 1) {
    if (now - (installs.at[install] ?? now) > trainingAgeMs) chosen.push(install);
    else tooYoung += 1;
  }
  const isUsable = (install: number): boolean =>
    installs.features
      .subarray(install * width, (install + 1) * width)
      .every((value) => Number.isFinite(Math.fround(value)));
  const usable = chosen.filter(isUsable);
  const rows = new Float32Array(usable.length * width);
  usable.forEach((install, row) => {
    rows.set(installs.features.subarray(install * width, (install + 1) * width), row * width);
  });
  const heldOut = Uint8Array.from(usable, (install) => (installs.hash(install, seed) % parts === 0 ? 1 : 0));
  return {
    count: usable.length,
    rows,
    at: Float64Array.from(usable, (install) => installs.at[install] ?? 0),
    purchased: Uint8Array.from(usable, (install) => installs.purchased[install] ?? 0),
    churned: Uint8Array.from(usable, (install) => installs.churned[install] ?? 0),
    heldOut,
    tuning: Uint8Array.from(usable, (install, row) =>
      heldOut[row] === 0 && Math.floor(installs.hash(install, seed) / parts) % parts === 0 ? 1 : 0,
    ),
    tooYoung,
    outOfRange: chosen.length - usable.length,
  };
}
