// time limit: 120 s
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { runShop } from "../support/running-shop.ts";

const yesterday = addDays(localDate("Asia/Seoul", Date.now()), -1);
const at = (time: string): string => `${yesterday}T${time}:00+09:00`;
const path = "/reports/api/v7/apps/shop/actuals/query";

const { application, tokens, end } = await runShop();
const late = suite("a touchpoint that arrives late and rules that change, in actuals");
late.after(end);

const click = (channel: string, time: string, deviceId: string) =>
  application.client(tokens.api).send("POST", "/events/v1/apps/shop/touchpoints", {
    touchpoints: [{ touchpointId: randomUUID(), kind: "click", timestamp: at(time), channel, deviceId }],
  });
const happen = async (category: string, time: string, id: string): Promise<string> => {
  const eventId = randomUUID();
  const events = [{ eventId, eventTimestamp: at(time), category, device: { id, os: "iOS" } }];
  await application.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
  return eventId;
};

interface Report {
  readonly position: string;
  /** Installs and orders by channel. */
  readonly rows: string;
}

async function report(asOf: object = {}): Promise<Report> {
  const query = {
    from: yesterday,
    to: yesterday,
    groupBys: ["channel"],
    metrics: ["app_installs", "app_order_complete"],
    filters: [],
    sorts: [],
  };
  const { task } = (await application.client(tokens.api).send("POST", path, { ...query, ...asOf })) as {
    task: { taskId: string };
  };
  for (;;) {
    const headers = { authorization: `Bearer ${tokens.api}` };
    const response = await fetch(`${application.run.baseUrl}${path}/${task.taskId}`, { headers });
    const answer = (await response.json()) as {
      task: { status: string; asOfPosition: string };
      actuals?: {
        data: {
          rows: readonly { groupBys: readonly string[]; values: { [metric: string]: { value: number | null } } }[];
        };
      };
    };
    if (answer.task.status === "SUCCESS") {
      const rows = (answer.actuals?.data.rows ?? []).map(
        ({ groupBys, values }) =>
          `${groupBys[0]} ${["app_installs", "app_order_complete"].map((metric) => values[metric]?.value ?? 0).join(" ")}`,
      );
      return { position: answer.task.asOfPosition, rows: rows.sort().join(", ") };
    }
    assert.ok(["RUNNING", "PENDING"].includes(answer.task.status), JSON.stringify(answer));
    await pause(25);
  }
}

late("takes the install and what followed it from then on, and nothing from earlier reports", async () => {
  await click("alpha", "10:00", "phone");
  const install = await happen("app_install", "12:00", "phone");
  await happen("app_order_complete", "13:00", "phone");
  const first = await report();
  assert.is(first.rows, "alpha 1 1");

  await click("older", "09:00", "phone");
  const unchanged = await report();
  assert.is(unchanged.rows, first.rows);
  await click("beta", "11:00", "phone");
  const revised = await report();
  assert.is(revised.rows, "beta 1 1");
  await click("gamma", "11:30", "phone");
  assert.is((await report()).rows, "gamma 1 1");

  for (const { position, rows } of [first, unchanged, revised])
    assert.is((await report({ asOf: position })).rows, rows);
  const { data } = (await application.operator.send("GET", `/admin/v1/apps/shop/attributions/${install}`)) as {
    data: { winner: Winner; formerDecisions: readonly { winner: Winner }[] };
  };
  assert.equal(
    [data, ...data.formerDecisions].map(({ winner }) => winner.source.channel),
    ["gamma", "beta", "alpha"],
  );
});

interface Winner {
  readonly source: { readonly channel: string };
}

late("is decided by the rules in force at the install; changed rules apply to later installs", async () => {
  const before = (await report()).rows;
  await happen("app_install", "12:00", "tablet");
  const rules = { channels: { delta: { click: { device: "59m" } } } };
  const set = await application.operator.send("PUT", "/admin/v1/apps/shop/attribution-rules", rules);
  assert.equal(await application.operator.send("GET", "/admin/v1/apps/shop/attribution-rules"), set);
  await click("delta", "11:00", "tablet");
  await click("delta", "11:00", "watch");
  await happen("app_install", "12:00", "watch");
  assert.is((await report()).rows, `delta 1 0, ${before}, unattributed 1 0`);
});

late.run();
