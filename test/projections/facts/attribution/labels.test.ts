import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, anOrder } from "../../../examples/app-events.ts";
import { revisedBy, unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const labels = suite("the label of an app event");
labels.after(() => db.destroy());

const [click, install] = [aClick(), anInstall()];
const decided = wonBy(install, click);
type Click = typeof click;

/** An order so many milliseconds after the end of the attribution window. */
const orderAt = (ms: number) => anOrder({ at: new Date(Date.parse("2026-03-31T10:00:00.000Z") + ms).toISOString() });

async function winnerOfOrder(...events: readonly StoredEvent[]): Promise<unknown> {
  await facts.clear();
  // The last one by itself: it finds, or changes, what is stored.
  const log = recordedLog([shopRegistered, click, install, ...events]);
  await facts.apply(log.slice(0, -1));
  await facts.apply(log.slice(-1));
  const rows = await facts.rows("app_events", "category", "touchpoint_id");
  return rows.find(({ category }) => category === "app_order_complete")?.touchpoint_id;
}

labels("is the winner up to the end of the attribution window, and no longer", async () => {
  const { touchpointId } = click.data;
  assert.is(await winnerOfOrder(decided, orderAt(0)), touchpointId);
  assert.is(await winnerOfOrder(decided, orderAt(1)), null);
  assert.is(await winnerOfOrder(orderAt(0), decided), touchpointId);
  assert.is(await winnerOfOrder(orderAt(1), decided), null);
});

labels("is that of a revision, also when a target event without a winner has followed", async () => {
  const late = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-01T09:30:00.000Z" });
  const reinstall = anInstall({ eventId: exampleUuid("install", 2), at: "2026-03-20T10:00:00.000Z" });
  const history = [decided, late, revisedBy(decided, late), reinstall, unattributed(reinstall), orderAt(0)];
  assert.is(await winnerOfOrder(...history), late.data.touchpointId);
});

labels("is the winner at the very moment of the target event, if the order follows in the log", async () => {
  const order = anOrder({ at: install.data.at });
  assert.is(await winnerOfOrder(decided, order), click.data.touchpointId);
  assert.is(await winnerOfOrder(order, decided), click.data.touchpointId);
});

labels("is that of the latest target event before it, by event time, then position", async () => {
  const [second, late] = [2, 3].map((id) => aClick({ touchpointId: exampleUuid("click", id) })) as [Click, Click];
  const target = (at: string) => anInstall({ eventId: exampleUuid("install", 2), at });
  const order = anOrder();
  const older = target("2026-03-01T09:30:00.000Z");
  const afterOlder = [decided, older, wonBy(older, second)];
  assert.is(await winnerOfOrder(...afterOlder, order), click.data.touchpointId);
  assert.is(await winnerOfOrder(order, ...afterOlder), click.data.touchpointId);
  const sameTime = target(install.data.at);
  const revised = [decided, wonBy(sameTime, second), late, revisedBy(decided, late)];
  assert.is(await winnerOfOrder(sameTime, ...revised, order), second.data.touchpointId);
  assert.is(await winnerOfOrder(sameTime, order, ...revised), second.data.touchpointId);
});

labels.run();
