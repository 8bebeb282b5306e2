import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type AttributionReactor,
  createAttributionReactor,
} from "../../../commands/attribution/attribution-reactor.ts";
import { type PartialRules, readRules } from "../../../domain/attribution/written-rules.ts";
import type { DomainEvent, LogPosition } from "../../../domain/recorded-event.ts";
import {
  appEventJournal,
  appRegistryStream,
  appStream,
  attributionStream,
  touchpointJournal,
} from "../../../domain/streams.ts";
import { rulesInForce } from "../../../projections/facts/attribution-rules.ts";
import { candidatesOf } from "../../../projections/facts/candidates.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { attributionOf, hasUndecidedTargets, openTargets } from "../../../projections/facts/queries.ts";
import { createProjector, type Projector } from "../../../projections/projector.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick, springSale } from "../../examples/touchpoints.ts";
import { silentEngineLog } from "../../projections/engine/engine-log.ts";
import { openStores, type Stores } from "../../projections/engine/stores.ts";

const patience = 20_000;
const askAgainMs = 20;
const attributing = suite("attributing, on an event store and a Postgres");

let stores: Stores;
attributing.before.each(async () => {
  stores = await openStores();
});
attributing.after.each(() => stores.close());

interface Running {
  readonly projector: Projector;
  readonly reactor: AttributionReactor;
  readonly failures: readonly unknown[];
  /** Waits until everything up to a position is projected and every target event up to it is decided. */
  decided(position: LogPosition): Promise<void>;
  stop(): Promise<void>;
}

async function start(): Promise<Running> {
  const { db, log } = stores;
  const projector = createProjector({ db, log, projections: [facts], engineLog: silentEngineLog });
  const live = () => createReadModels(db, [facts]).live("facts");
  const failures: unknown[] = [];
  const stopping = new AbortController();
  await projector.start();
  const reactor = createAttributionReactor({
    log,
    runId: "run",
    factsHavePassed: (position, timeoutMs) => projector.hasPassed("facts", position, timeoutMs),
    onProgress: (listener) => projector.onCommit(listener),
    openTargets: async (after, most) => openTargets(await live(), after, most),
    rulesOf: async (targets) => rulesInForce(await live(), targets),
    candidatesOf: async (targets) => candidatesOf(await live(), targets),
    failed: (failure) => failures.push(failure),
    now: () => new Date(),
  });
  const running = reactor.run(stopping.signal);
  return {
    projector,
    reactor,
    failures,
    decided: async (position) => {
      assert.is(await projector.hasPassed("facts", position, patience), true);
      while (await hasUndecidedTargets(await live(), 1, position.commit)) {
        await projector.hasPassed("facts", { commit: position.commit + 1n, prepare: 0n }, askAgainMs);
      }
    },
    stop: async () => {
      stopping.abort();
      await running;
      await projector.stop();
    },
  };
}

const register = () => stores.append(appRegistryStream, shopRegistered);
const touch = (...events: readonly DomainEvent[]) => stores.append(touchpointJournal(1, "writer"), ...events);
const happen = (...events: readonly DomainEvent[]) => stores.append(appEventJournal(1, "writer"), ...events);

async function labels() {
  const { db, schema } = await createReadModels(stores.db, [facts]).live("facts");
  const { rows } = await db.raw(
    `select category, touchpoint_id, matched_by from ${schema}.app_events order by at, from_position`,
  );
  return rows.map((row: { category: string; touchpoint_id: string | null; matched_by: string | null }) => [
    row.category,
    row.touchpoint_id,
    row.matched_by,
  ]);
}

attributing("labels an install and what follows it with the click before it", async () => {
  const running = await start();
  await register();
  await touch(aClick());
  await running.decided(await happen(anInstall(), anOrder()));
  const label = [exampleUuid("click", 1), "probabilistic"];
  assert.equal(await labels(), [
    ["app_install", ...label],
    ["app_order_complete", ...label],
  ]);
  const { db, schema } = await createReadModels(stores.db, [facts]).live("facts");
  const attribution = await attributionOf({ db, schema }, 1, anInstall().data.eventId);
  const [recorded] = await stores.log.readBackwards(attributionStream(1, anInstall().data.eventId), 1);
  assert.equal(attribution.outcome === "decided" && attribution.decision, recorded?.data);
  assert.is(running.reactor.lagMs() < patience, true);
  assert.equal(running.failures, []);
  await running.stop();
});

attributing(
  "decides each target event with the rules in force at its position, whenever it is decided (D3.5)",
  async () => {
    await register();
    await touch(aClick());
    const open = (number: number) =>
      anInstall({
        eventId: exampleUuid("open", number),
        category: "app_deeplink_open",
        at: `2026-03-01T1${number}:00:00Z`,
      });
    await happen(open(0));
    const set = (rules: PartialRules): DomainEvent => ({
      type: "AttributionRulesChanged",
      data: { appId: 1, rules: readRules(rules) },
    });
    const { channel } = springSale;
    await stores.append(appStream(1), set({ channels: { [channel]: { click: { probabilistic: "59m" } } } }));
    await happen(open(1), open(2));
    await stores.append(appStream(1), set({ click: { probabilistic: "4h" }, attributionWindow: "1h" }));
    const last = await happen(open(3), anOrder({ at: "2026-03-01T14:00:00.000Z" }));
    const running = await start();
    await running.decided(last);
    const won = exampleUuid("click", 1);
    assert.equal(
      (await labels()).map(([category, touchpointId]: readonly unknown[]) => [category, touchpointId]),
      [
        ["app_deeplink_open", won],
        ["app_deeplink_open", null],
        ["app_deeplink_open", null],
        ["app_deeplink_open", won],
        ["app_order_complete", won],
      ],
    );
    await running.stop();
  },
);

attributing("takes up what was not decided when it stopped, and decides nothing twice", async () => {
  await register();
  await touch(aClick({ deviceKey: phone }));
  const opens = Array.from({ length: 450 }, (_, index) =>
    anInstall({ eventId: exampleUuid("open", index), category: "app_deeplink_open" }),
  );
  const last = await happen(...opens);
  const first = await start();
  while ((await stores.all()).every(({ type }) => type !== "AttributionDecided")) await undefined;
  await first.stop();
  const second = await start();
  await second.decided(last);
  await second.stop();
  const decided = (await stores.all()).filter(({ type }) => type === "AttributionDecided");
  assert.is(decided.length, 450);
  assert.equal([...first.failures, ...second.failures], []);
  assert.equal(
    (await labels()).filter(([, touchpointId]: readonly unknown[]) => touchpointId !== exampleUuid("click", 1)),
    [],
  );
});

attributing.run();
