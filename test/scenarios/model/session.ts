import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as assert from "uvu/assert";
import type { Answer, Call } from "../../support/raw-client.ts";
import { type ApplicationInProcess, adminToken } from "./application-in-process.ts";

const timeoutMs = 60_000;
const retryPauseMs = 30;

/** One app of the application, and its clients, who repeat what is not answered. */
export interface Session {
  readonly application: ApplicationInProcess;
  readonly app: string;
  readonly owner: string;
  /** A time that no earlier call has returned, `base` or soon after. */
  uniqueTime(base: number): number;
  /** Sends a request until it is answered; nothing but 503 counts as no answer. `attempts` is 1 without a retry. */
  send(method: string, path: string, call?: Call): Promise<Answer & { readonly attempts: number }>;
  /** Sends it once; null without an answer. */
  sendOnce(method: string, path: string, call?: Call): Promise<Answer | null>;
}

/** Registers an app of its own for a sequence of commands. */
export async function openSession(application: ApplicationInProcess): Promise<Session> {
  const used = new Set<number>();
  const sendOnce: Session["sendOnce"] = async (method, path, call) => {
    const answer = await application.call(method, path, call).catch(() => null);
    if (answer === null || answer.status === 503) return null;
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const send: Session["send"] = async (method, path, call) => {
    const deadline = Date.now() + timeoutMs;
    for (let attempts = 1; ; attempts += 1) {
      const answer = await sendOnce(method, path, call);
      if (answer !== null) return { ...answer, attempts };
      if (Date.now() > deadline) throw new Error(`${method} ${path} has no answer within ${timeoutMs / 1000} s`);
      await pause(retryPauseMs);
    }
  };
  const { app, owner } = await register(send);
  return {
    ...{ application, app, owner, send, sendOnce },
    uniqueTime: (base) => {
      let time = base;
      while (used.has(time)) time += 1;
      used.add(time);
      return time;
    },
  };
}

async function register(send: Session["send"]): Promise<Pick<Session, "app" | "owner">> {
  const app = `app_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const body = { name: app, timezone: "UTC", currency: "USD", ownerEmail: "owner@shop.example" };
  const registered = await send("POST", "/admin/v1/apps", { token: adminToken, body });
  if (registered.status === 201) {
    return { app, owner: (registered.json as { data: { tokens: { api: string } } }).data.tokens.api };
  }
  // An earlier attempt has registered it, whose tokens nobody has received.
  assert.is(registered.status, 409, registered.text);
  const issued = await send("POST", `/admin/v1/apps/${app}/tokens`, {
    token: adminToken,
    body: { kind: "api", role: "owner" },
  });
  assert.is(issued.status, 201, issued.text);
  return { app, owner: (issued.json as { data: { token: { secret: string } } }).data.token.secret };
}
