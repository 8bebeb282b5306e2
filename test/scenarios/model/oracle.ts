import { setTimeout as pause } from "node:timers/promises";
import * as assert from "uvu/assert";
import { reportPath } from "../../../client/index.ts";
import { differences, installsOf, type Reference, type Row, winnerOf } from "./reference.ts";
import type { Session } from "./session.ts";

const timeoutMs = 60_000;
const pollMs = 20;
const day = 24 * 60 * 60_000;
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Compares what the application answers at the end of a sequence with the reference. */
export async function requireSame(reference: Reference, session: Session): Promise<void> {
  for (const { requestId } of reference.uploads) await requireSucceeded(session, requestId);
  for (const install of installsOf(reference)) {
    const expected = winnerOf(reference, install)?.id ?? null;
    await until(
      () => winnerOfInstall(session, install.id),
      (found) => found === expected,
      `winner ${expected} of ${install.id}`,
    );
  }
  // A click that was answered from the spool comes to the log later.
  await until(
    async () => differences(reference, await report(session)),
    (found) => found.length === 0,
    "the report of the reference",
  );
}

async function requireSucceeded(session: Session, requestId: string): Promise<void> {
  const status = async (): Promise<string> => {
    const path = `/self-serve-data/v1/ad-spend/requests/${requestId}`;
    const record = await session.send("GET", path, { token: session.owner });
    assert.is(record.status, 200, record.text);
    return (record.json as { status: string }).status;
  };
  await until(status, (one) => one === "succeeded", `upload ${requestId} has succeeded`);
}

async function winnerOfInstall(session: Session, eventId: string): Promise<string | null | undefined> {
  const path = `/admin/v1/apps/${session.app}/attributions/${eventId}`;
  const found = await session.send("GET", path, { token: session.owner });
  if (found.status === 404) return undefined;
  assert.is(found.status, 200, found.text);
  return (found.json as { data: { winner: { touchpointId: string } | null } }).data.winner?.touchpointId ?? null;
}

async function report(session: Session): Promise<ReadonlyMap<string, Row>> {
  const path = reportPath("actuals", session.app);
  const body = {
    from: dateOf(Date.now() - 15 * day),
    to: dateOf(Date.now()),
    groupBys: ["channel"],
    metrics: ["clicks", "app_installs", "app_order_complete", "app_revenue", "cost_channel"],
    filters: [],
    sorts: [],
  };
  const headers = { "Content-Type": "application/json" };
  const requested = await session.send("POST", path, { token: session.owner, headers, body });
  assert.ok(requested.status < 300, requested.text);
  const { taskId } = (requested.json as { task: { taskId: string } }).task;
  const read = async () =>
    (await session.send("GET", `${path}/${taskId}?size=100`, { token: session.owner })).json as Page;
  const { actuals } = await until(read, ({ task }) => task.status === "SUCCESS", `report ${taskId} has succeeded`);
  return new Map(
    actuals.data.rows.map(({ groupBys: [channel = ""], values }) => {
      const value = (metric: string): number => values[metric]?.value ?? 0;
      const row: Row = {
        clicks: value("clicks"),
        installs: value("app_installs"),
        orders: value("app_order_complete"),
        revenue: value("app_revenue"),
        cost: value("cost_channel"),
      };
      return [channel, row];
    }),
  );
}

interface Page {
  readonly task: { readonly status: string };
  readonly actuals: {
    readonly data: {
      readonly rows: readonly {
        readonly groupBys: readonly string[];
        readonly values: { readonly [metric: string]: { readonly value: number | null } };
      }[];
    };
  };
}

async function until<Found>(
  find: () => Promise<Found>,
  holds: (found: Found) => boolean,
  expected: string,
): Promise<Found> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (holds(found)) return found;
    if (Date.now() > deadline) throw new Error(`Expected ${expected}, found ${JSON.stringify(found)}`);
    await pause(pollMs);
  }
}
