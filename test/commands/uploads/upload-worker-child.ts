import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { uploadStream } from "../../../domain/streams.ts";
import { openDatabases } from "../../../infra/composition/connection-pools.ts";
import { startReactors } from "../../../infra/composition/reactors.ts";
import { openReadModels } from "../../../infra/composition/read-models.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { connectLog } from "../../support/event-store.ts";

/** Where an upload is to be when its worker is killed: around so many-th of the appends (from 1) to its stream. */
export interface Death {
  readonly requestId: string;
  readonly append: number;
  /** `during`: sent, with an unknown outcome. */
  readonly moment: "before" | "during" | "after";
}

// All that a worker process runs, read models and reactors, on the log and the database of its environment. It starts when
// it gets a list of uploads: it is killed once each of them has reached its place.
const { EVENTSTORE_URL = "", EVENT_STREAM_PREFIX = "", DATABASE_URL = "" } = process.env;
const ever = new Promise<never>(() => {});

function mortal(log: EventLog, deaths: readonly Death[]): EventLog {
  let left = deaths.length;
  const reached = (): void => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
  const appends = new Map<string, number>();
  return {
    ...log,
    append: async (stream, expected, events) => {
      const number = (appends.get(stream) ?? 0) + 1;
      appends.set(stream, number);
      const death = deaths.find(({ requestId, append }) => uploadStream(requestId) === stream && append === number);
      if (death === undefined) return log.append(stream, expected, events);
      if (death.moment !== "before") {
        const appending = log.append(stream, expected, events);
        await (death.moment === "after" ? appending : delay(Math.random() * 8));
      }
      reached();
      return ever;
    },
  };
}

/** Of this program alone: `maxRSS` starts with what the process had that it was forked from. */
function peakKilobytes(): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

process.once("message", async (deaths: readonly Death[]) => {
  const log = openLogger("error");
  const webhooks = { signingKey: "unused", allowsPrivate: false };
  const databases = await openDatabases(DATABASE_URL);
  const eventLog = mortal(connectLog({ EVENTSTORE_URL, EVENT_STREAM_PREFIX }), deaths);
  const application = openReadModels(eventLog, databases, true, log);
  process.on("message", () => process.send?.(peakKilobytes()));
  await application.projector.start();
  await startReactors(eventLog, databases, application, webhooks, new Registry(), log);
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
