import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import { inForce } from "../../../../projections/facts/table.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../../examples/app-events.ts";
import { unattributed, wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);

const click = aClick();
const later = aClick({ touchpointId: exampleUuid("click", 2), at: "2026-03-02T09:00:00.000Z" });
const install = anInstall();
const order = anOrder();
const reopened = anInstall({
  eventId: exampleUuid("open", 1),
  category: "app_deeplink_open",
  at: "2026-03-01T11:00:00.000Z",
});
const names = new Map([
  [install.data.eventId, "install"],
  [order.data.eventId, "order"],
  [reopened.data.eventId, "open"],
  [click.data.touchpointId, "click"],
  [later.data.touchpointId, "later click"],
]);

/** Versions of app events, after the shop is registered at 100 and `events` follow at 200, 300, ... */
async function labelsAfter(...events: readonly StoredEvent[]): Promise<readonly string[]> {
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, ...events]));
  const rows = await facts.rows("app_events", "event_id", "from_position", "to_position", "touchpoint_id");
  return rows
    .map(({ event_id, from_position, to_position, touchpoint_id }) => {
      const until = to_position === inForce ? "" : ` to ${to_position}`;
      const label = touchpoint_id === null ? "unattributed" : names.get(String(touchpoint_id));
      return `${names.get(String(event_id))} from ${from_position}${until}: ${label}`;
    })
    .sort();
}

const labels = suite("an app event");

labels("is unattributed until its device's target event is decided", async () => {
  assert.equal(await labelsAfter(click, install, order), [
    "install from 300: unattributed",
    "order from 400: unattributed",
  ]);
});

labels("has the winner of the last target event before it, from its own position on", async () => {
  const both = ["install from 300: click", "order from 400: click"];
  assert.equal(await labelsAfter(click, install, order, wonBy(install, click)), both);
  assert.equal(await labelsAfter(click, install, wonBy(install, click), order), [
    "install from 300: click",
    "order from 500: click",
  ]);
});

labels("keeps its old label up to the position of a target event that arrives late", async () => {
  assert.equal(await labelsAfter(click, order, install, wonBy(install, click)), [
    "install from 400: click",
    "order from 300 to 400: unattributed",
    "order from 400: click",
  ]);
});

labels("has a later winner from the later target event on", async () => {
  const decisions = [wonBy(reopened, later), wonBy(install, click)];
  assert.equal(await labelsAfter(click, later, install, order, reopened, ...decisions), [
    "install from 400: click",
    "open from 600: later click",
    "order from 500 to 600: click",
    "order from 600: later click",
  ]);
});

labels("keeps an earlier winner after an unattributed target event", async () => {
  assert.equal(await labelsAfter(click, install, reopened, wonBy(install, click), unattributed(reopened), order), [
    "install from 300: click",
    "open from 400: unattributed",
    "order from 700: click",
  ]);
});

labels("has the winner within the attribution window, both ends included", async () => {
  const at = (ms: number) => anOrder({ at: new Date(Date.parse("2026-03-31T10:00:00.000Z") + ms).toISOString() });
  const decided = wonBy(install, click);
  assert.ok((await labelsAfter(click, install, decided, at(0))).includes("order from 500: click"));
  assert.ok((await labelsAfter(click, install, decided, at(1))).includes("order from 500: unattributed"));
  assert.ok((await labelsAfter(click, install, at(0), decided)).includes("order from 400: click"));
  assert.ok((await labelsAfter(click, install, at(1), decided)).includes("order from 400: unattributed"));
});

labels("has no label of another device or of a later event", async () => {
  const other = { deviceKey: exampleUuid("device", 2) };
  const before = { at: "2026-03-01T09:59:59.999Z" };
  for (const changes of [other, before]) {
    assert.ok(
      (await labelsAfter(click, install, anOrder(changes), wonBy(install, click))).includes(
        "order from 400: unattributed",
      ),
    );
    assert.ok(
      (await labelsAfter(click, install, wonBy(install, click), anOrder(changes))).includes(
        "order from 500: unattributed",
      ),
    );
  }
});

labels.run();

const firsts = suite("the first of a category");

/** `<from>[ to <to>] device[ user]` of one event's versions: of whom it is the first. */
async function firstsOf(eventId: string, ...events: readonly StoredEvent[]): Promise<readonly string[]> {
  await facts.clear();
  await facts.apply(recordedLog([shopRegistered, ...events]));
  const rows = await facts.rows("app_events");
  return rows
    .filter(({ event_id }) => event_id === eventId)
    .map(({ from_position, to_position, is_first_of_device, is_first_of_user }) => {
      const until = to_position === inForce ? "" : ` to ${to_position}`;
      return `${from_position}${until} device ${is_first_of_device} user ${is_first_of_user}`;
    });
}

const second = anOrder({ eventId: exampleUuid("order", 2), at: "2026-03-01T13:00:00.000Z" });

firsts("is the earliest by time, whatever came after", async () => {
  assert.equal(await firstsOf(order.data.eventId, order, second), ["200 device true user null"]);
  assert.equal(await firstsOf(second.data.eventId, order, second), ["300 device false user null"]);
});

firsts("is replaced from the position of an earlier event on", async () => {
  assert.equal(await firstsOf(second.data.eventId, second, order), [
    "200 to 300 device true user null",
    "300 device false user null",
  ]);
  assert.equal(await firstsOf(order.data.eventId, second, order), ["300 device true user null"]);
});

firsts("is the earlier in the log of two at the same time", async () => {
  const same = anOrder({ eventId: exampleUuid("order", 3) });
  assert.equal(await firstsOf(same.data.eventId, order, same), ["300 device false user null"]);
});

firsts("is of the device and of the user, who may have several devices", async () => {
  const byUser = { person: { deviceId: "phone", externalUserId: "kim" } };
  const onTablet = anOrder({ ...byUser, eventId: exampleUuid("order", 4), deviceKey: exampleUuid("device", 2) });
  assert.equal(await firstsOf(onTablet.data.eventId, anOrder(byUser), onTablet), ["300 device true user false"]);
  const anonymous = anOrder({ eventId: exampleUuid("order", 5), deviceKey: phone });
  assert.equal(await firstsOf(anonymous.data.eventId, anOrder(byUser), anonymous), ["300 device false user null"]);
});

firsts("counts each category by itself", async () => {
  assert.equal(await firstsOf(order.data.eventId, install, order), ["300 device true user null"]);
});

firsts.after(() => db.destroy());
firsts.run();
