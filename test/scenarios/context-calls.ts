import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { RunningApplication } from "../support/application-process.ts";

/** Milliseconds between two polls. */
const pauseMs = 20;

/** A context call as it was answered. */
export interface Called {
  readonly status: number;
  readonly requestId: string;
  readonly body: {
    readonly context?: { readonly lastTouchpoint: unknown };
    readonly predictions?: unknown;
    readonly error?: { readonly code: string };
  };
}

/** Calls the context endpoint with an SDK token. */
export async function callContext({ run }: RunningApplication, token: string, body: object): Promise<Called> {
  const response = await fetch(`${run.baseUrl}/entry/inference/v1/context`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { headers, status } = response;
  return { status, requestId: headers.get("x-request-id") ?? "", body: (await response.json()) as Called["body"] };
}

/** An app event that has happened: its device's UUID, and the log position that it has. */
interface Happened {
  readonly eventId: string;
  readonly userId: string;
  readonly position: string;
}

/** Sends an app event of a device of the shop. */
export async function happen(
  { run }: RunningApplication,
  token: string,
  category: string,
  deviceId: string,
  more: object = {},
): Promise<Happened> {
  const device = { id: deviceId, os: "Android" };
  const event = { eventId: randomUUID(), eventTimestamp: Date.now(), category, device, ...more };
  const response = await fetch(`${run.baseUrl}/events/v1/apps/shop/app-events`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ events: [event] }),
  });
  const { data } = (await response.json()) as { data: { devices: { [id: string]: string } } };
  const position = response.headers.get("x-log-position") ?? "";
  return { eventId: event.eventId, userId: data.devices[deviceId] ?? "", position };
}

/** Pauses between two polls. */
export function pause(): Promise<void> {
  return setTimeout(pauseMs);
}

/** Waits until the read models have what is at a position, and the decision on an install with it. */
export async function untilDecided({ run }: RunningApplication, eventId: string, position: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${run.baseUrl}/admin/v1/apps/shop/attributions/${eventId}`, {
      headers: { authorization: `Bearer ${run.adminToken}`, "x-min-position": position },
    });
    await response.arrayBuffer();
    if (response.ok) return;
    if (![404, 503].includes(response.status)) throw new Error(`attributions answered ${response.status}`);
    await pause();
  }
}
