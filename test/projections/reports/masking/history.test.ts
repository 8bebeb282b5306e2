import { suite } from "uvu";
import * as assert from "uvu/assert";
import { customChannel } from "../../../../domain/channels/channel-name.ts";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import { runActuals } from "../../../../projections/reports/actuals/run.ts";
import { shop, shopRegistered } from "../../../examples/app.ts";
import { anInstall } from "../../../examples/app-events.ts";
import { wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedAt } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../facts/facts-tables.ts";
import { ask, cellsOf } from "../actuals/advertising.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

/** The first instant of April in Seoul, where the shop is, and the last of March. */
const april = "2026-03-31T15:00:00.000Z";
const march = "2026-03-31T14:59:59.999Z";
const source = { ...springSale, channel: "friends" };
const friends = { ...customChannel("friends"), selfAttributing: true };

const click = aClick({ source, at: march });
const impressions = (count: number, at: string) =>
  Array.from({ length: count }, (_, index) => {
    return anImpression({ source, at, touchpointId: exampleUuid("impression", index) });
  });
const installs = (count: number, at: string): readonly StoredEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const deviceKey = exampleUuid("device", index);
    const install = anInstall({
      at,
      deviceKey,
      eventId: exampleUuid("install", index),
      person: { deviceId: `${index}` },
    });
    return [install, wonBy(install, click)];
  }).flat();

/** Installs by month, as of each event of a kind, by its place in the log. */
async function installsAt(log: readonly StoredEvent[], ...positions: readonly number[]) {
  await tables.clear();
  await tables.apply(log.map((event, index) => recordedAt(BigInt(index + 1), event)));
  const question = ask({ from: "2026-03-01", to: "2026-04-01", groupBys: ["event_month"], metrics: ["app_installs"] });
  const answers = [];
  for (const position of positions) {
    const reportTime = { timezone: shop.timezone, now: new Date("2026-04-10T00:00:00Z"), position: BigInt(position) };
    answers.push(cellsOf(await runActuals(tables, { ...question, ...reportTime }, { timeoutMs: 30_000 })));
  }
  return answers;
}

const history = suite("what is withheld of a network, from its events on");
history.after(() => db.destroy());

history("is told by months of the app's time zone", async () => {
  const log = [shopRegistered, { type: "ChannelRegistered", data: friends } as const, click];
  const both = [...log, ...impressions(1_001, april), ...installs(101, april)];
  assert.equal(await installsAt(both, both.length), [[[["2026-04"], ["101"]]]]);
  const early = [...log, ...impressions(1_001, march), ...installs(101, april)];
  assert.equal(await installsAt(early, early.length), [[[["2026-04"], ["null+"]]]]);
});

history("follows what the channel is said to be, and stays as it was before", async () => {
  const log: readonly StoredEvent[] = [
    shopRegistered,
    click,
    ...installs(1, april),
    { type: "ChannelRegistered", data: friends },
    { type: "ChannelChanged", data: { ...friends, selfAttributing: false } },
    { type: "ChannelChanged", data: friends },
  ];
  const shown = [[["2026-04"], ["1"]]];
  const hidden = [[["2026-04"], ["null+"]]];
  assert.equal(await installsAt(log, 4, 5, 6, 7), [shown, hidden, shown, hidden]);
});

history("ends with the install that makes the month large enough, of which no position before it tells", async () => {
  const log = [shopRegistered, { type: "ChannelRegistered", data: friends } as const, click];
  const all = [...log, ...impressions(1_001, april), ...installs(101, april)];
  // The last install, and its decision.
  const [before, after] = [all.length - 2, all.length - 1];
  assert.equal(await installsAt(all, before, after), [[[["2026-04"], ["null+"]]], [[["2026-04"], ["101"]]]]);
});

history.run();
