import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { eventStoreAccess } from "../infra/event-log/event-store-access.ts";
import { createEventLog } from "../infra/event-log/eventstore-event-log.ts";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../test/support/application-process.ts";
import { type BenchLine, below } from "./support/bench-line.ts";

const people = 500;
/** The clicks of this many users arrive after their installs: about ten late clicks for each install. */
const batchSize = 20;
const maxSeconds = 30;
const pollMs = 100;
const timeoutMs = 300_000;
const userAgent = "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0.0.0 Mobile";

/**
 * Time that attribution takes when installs are recorded before the clicks that led to them, and all devices share one
 * address, as in mobile networks: each click is then late for many installs. Next to it the same with one address for
 * each device.
 */
export async function benchSharedAddress(): Promise<readonly BenchLine[]> {
  const own = await secondsUntilAttributed((person) => `10.${person >> 16}.${(person >> 8) & 255}.${person & 255}`);
  const shared = await secondsUntilAttributed(() => "10.0.0.1");
  const line = below(maxSeconds, {
    path: `attribution of ${people} installs, ${people} late clicks, one address`,
    measured: shared.seconds,
    unit: "s",
    note: `${shared.revisions} revisions; with own addresses ${own.seconds.toFixed(1)} s and ${own.revisions}`,
  });
  return [{ ...line, limit: own.seconds, ratio: shared.seconds / own.seconds }];
}

async function secondsUntilAttributed(addressOf: (person: number) => string) {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { api } = await registerApp(application.operator);
    await application.operator.send("PUT", "/admin/v1/channels/partner", {
      ...{ displayName: "Partner", type: "custom", selfAttributing: false, costIntegrated: false },
    });
    const owner = application.client(api);
    const begin = Date.now() - 6 * 3_600_000;
    const since = performance.now();
    for (let first = 0; first < people; first += batchSize) {
      const batch = Array.from({ length: batchSize }, (_, index) => first + index);
      const events = batch.map((person) => ({
        ...{ eventId: randomUUID(), category: "app_install", eventTimestamp: begin + person * 1_000 + 500 },
        device: { id: `device-${person}`, os: "Android", ip: addressOf(person), userAgent },
      }));
      await owner.send("POST", "/events/v1/apps/shop/app-events", { events });
      const touchpoints = batch.map((person) => ({
        ...{ touchpointId: randomUUID(), kind: "click", timestamp: begin + person * 1_000, channel: "partner" },
        ...{ ip: addressOf(person), userAgent },
      }));
      await owner.send("POST", "/events/v1/apps/shop/touchpoints", { touchpoints });
    }
    await untilQuiet(application);
    const seconds = (performance.now() - since) / 1_000;
    return { seconds, revisions: await revisionsIn(application) };
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** Waits until no decision and no revision has been due for ten polls in a row. */
async function untilQuiet(application: RunningApplication): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let quiet = 0; quiet < 10; ) {
    if (performance.now() > deadline) throw new Error(`Attribution did not finish within ${timeoutMs} ms`);
    const lags = ["attribution", "revisions"].map(
      (name) => new RegExp(`^reactor_lag_seconds\\{reactor="${name}"\\} ([\\d.e-]+)`, "m"),
    );
    const open = await Promise.all(lags.map((lag) => metric(application, lag)));
    quiet = open.every((seconds) => seconds === 0) ? quiet + 1 : 0;
    await pause(pollMs);
  }
}

async function revisionsIn({ run }: RunningApplication): Promise<number> {
  const log = createEventLog({ ...eventStoreAccess(run.eventStoreUrl), deadlineMs: 30_000 });
  let revisions = 0;
  for await (const { type } of log.readAll("start", Number.MAX_SAFE_INTEGER))
    if (type === "AttributionRevised") revisions += 1;
  await log.close();
  return revisions;
}

async function metric({ run }: RunningApplication, line: RegExp): Promise<number> {
  const text = await (await fetch(`${run.baseUrl}/metrics`)).text();
  return Number(line.exec(text)?.[1] ?? Number.NaN);
}
