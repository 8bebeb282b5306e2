import { randomUUID } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { followUpload, sendUpload } from "../client/index.ts";
import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/typed-client.ts";
import type { BenchLine } from "./support/bench-line.ts";
import { untilProjected } from "./support/http-load.ts";
import { cpuSeconds, descendantsOf } from "./support/memory.ts";

const count = 50_000;
const perRequest = 500;
const uploadTimeoutMs = 120_000;
const userAgent =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36";

/** Figures for sizing a machine: bytes of an event in the log and in Postgres, and CPU seconds of a million events. */
export async function benchSizing(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  const { pid, baseUrl } = application.run;
  const resources = async () => ({
    log: await bytesOf(join(directory.path, "event-store")),
    postgres: await bytesOf(join(directory.path, "postgres", "server", "cluster", "base")),
    seconds: [pid, ...descendantsOf(pid).map((one) => one.pid)].reduce((sum, one) => sum + cpuSeconds(one), 0),
  });
  try {
    const owner = application.client((await registerApp(application.operator)).api);
    const kinds: readonly (readonly [string, () => Promise<void>])[] = [
      ["clicks, each of a device of its own", () => sendTouchpoints(owner)],
      ["installs, each decided", () => sendAppEvents(owner, "app_install")],
      ["app events of other kinds", () => sendAppEvents(owner, "app_open")],
      ["rows of uploaded ad spend", () => uploadSpend(owner)],
    ];
    const lines: BenchLine[] = [];
    for (const [name, send] of kinds) {
      const before = await resources();
      await send();
      await untilProjected(baseUrl);
      const after = await resources();
      const perEvent = (of: "log" | "postgres"): number => Math.round((after[of] - before[of]) / count);
      const cpu = ((after.seconds - before.seconds) / count) * 1_000_000;
      lines.push(figure(name, "bytes each in the log", perEvent("log")));
      lines.push(figure(name, "bytes each in Postgres", perEvent("postgres")));
      lines.push(figure(name, "CPU seconds a million, without the sender", Math.round(cpu)));
    }
    return lines;
  } finally {
    await application.stop();
    await directory.remove();
  }
}

function figure(name: string, unit: string, measured: number): BenchLine {
  return { path: name, measured, unit, limit: null, ratio: null, target: "none", met: true };
}

async function bytesOf(path: string): Promise<number> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return stats.blocks * 512;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sendAll(owner: TestClient, path: string, body: object): Promise<void> {
  const response = await owner.send("POST", `/events/v1/apps/shop/${path}`, body);
  const { rejected } = (response as { readonly data: { readonly rejected: readonly unknown[] } }).data;
  if (rejected.length > 0) throw new Error(`${path} were rejected: ${JSON.stringify(rejected[0])}`);
}

async function sendTouchpoints(owner: TestClient): Promise<void> {
  for (let sent = 0; sent < count; sent += perRequest) {
    const touchpoints = Array.from({ length: perRequest }, (_, index) => ({
      ...{ touchpointId: randomUUID(), kind: "click", timestamp: new Date().toISOString(), channel: "newsletter" },
      campaignParams: { campaign: `campaign ${index % 50}` },
      ...{ deviceId: randomUUID(), ip: "203.0.113.9", userAgent },
    }));
    await sendAll(owner, "touchpoints", { touchpoints });
  }
}

async function sendAppEvents(owner: TestClient, category: string): Promise<void> {
  for (let sent = 0; sent < count; sent += perRequest) {
    const events = Array.from({ length: perRequest }, () => ({
      ...{ eventId: randomUUID(), eventTimestamp: Date.now(), category },
      device: { id: randomUUID(), os: "Android", osVersion: "14" },
    }));
    await sendAll(owner, "app-events", { events });
  }
}

async function uploadSpend(owner: TestClient): Promise<void> {
  const rows = 10_000;
  for (let file = 0; file < count / rows; file += 1) {
    const lines = Array.from(
      { length: rows },
      (_, row) => `2026-0${1 + file}-${10 + (row % 18)},facebook.business,USD,campaign ${row},${row},1,1.5`,
    );
    const content = new TextEncoder().encode(
      ["date,channel,currency,campaign,impressions,clicks,cost", ...lines, ""].join("\n"),
    );
    const sent = await sendUpload(owner, "ad_spend", { name: "spend.csv", content });
    const { status } = await followUpload(owner, "ad_spend", sent, { timeoutMs: uploadTimeoutMs });
    if (status !== "succeeded") throw new Error(`The upload ended as ${status}`);
  }
}
