import { suite } from "uvu";
import * as assert from "uvu/assert";
import { attributionReactor } from "../../../commands/attribution/attribution-reactor.ts";
import { revisionReactor } from "../../../commands/attribution/revision-reactor.ts";
import { anyReactor } from "../../../commands/reactors/runner.ts";
import type { AttributionRevised, CandidateVerdict } from "../../../domain/attribution/events.ts";
import { type PartialRules, parseRules } from "../../../domain/attribution/rules-format.ts";
import type { LogPosition } from "../../../domain/event.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import {
  appEventJournal,
  appRegistryStream,
  appStream,
  attributionStream,
  touchpointJournal,
} from "../../../domain/streams.ts";
import type { ClickRecorded } from "../../../domain/touchpoints/events.ts";
import { rebuild } from "../../../projections/engine/generations/rebuild.ts";
import { createProjector, type Projector } from "../../../projections/engine/runner/projector.ts";
import { rulesInForce } from "../../../projections/facts/attribution/attribution-rules.ts";
import { eachCandidates } from "../../../projections/facts/attribution/candidates.ts";
import { openRevisions } from "../../../projections/facts/attribution/revisions.ts";
import type { OpenTarget } from "../../../projections/facts/attribution/target-events.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { attributionOf, hasUndecidedTargets, openTargets } from "../../../projections/facts/queries.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick, springSale } from "../../examples/touchpoints.ts";
import { silentEngineLog } from "../../projections/engine/engine-log.ts";
import { openStores, type Stores } from "../../projections/engine/stores.ts";
import { type ReactorFailure, testRuntime } from "../reactors/test-runtime.ts";

const timeoutMs = 20_000;
const pollMs = 20;
const attributing = suite("attributing, on an event store and a Postgres");

let stores: Stores;
attributing.before.each(async () => {
  stores = await openStores();
});
attributing.after.each(() => stores.close());

interface Running {
  readonly projector: Projector;
  readonly failures: readonly ReactorFailure[];
  /** Waits until everything up to a position is projected and every target event up to it is decided. */
  decided(position: LogPosition): Promise<void>;
  stop(): Promise<void>;
}

async function start(): Promise<Running> {
  const { db, log } = stores;
  const projector = createProjector({ db, log, projections: [facts], logger: silentEngineLog });
  const live = () => createReadModels(db, [facts]).live("facts");
  const runtime = testRuntime();
  await projector.start();
  const deps = {
    log,
    runId: "run",
    openTargets: async (after: bigint, max: number) => openTargets(await live(), after, max),
    openRevisions: async (max: number) => openRevisions(await live(), max),
    rulesOf: async (targets: readonly OpenTarget[]) => rulesInForce(await live(), targets),
    candidatesOf: async function* (targets: readonly OpenTarget[]) {
      yield* eachCandidates(await live(), targets);
    },
    now: () => new Date(),
  };
  const reactors = [anyReactor(attributionReactor(deps)), anyReactor(revisionReactor(deps))];
  const { waitForPosition, onCommit } = projector;
  const stop = runtime.start(reactors, { log, waitForPosition, onCommit });
  return {
    projector,
    failures: runtime.failures,
    decided: async (position) => {
      assert.is(await projector.waitForPosition("facts", position, timeoutMs), true);
      while (await hasUndecidedTargets(await live(), 1, position.commit)) {
        await projector.waitForPosition("facts", { commit: position.commit + 1n, prepare: 0n }, pollMs);
      }
    },
    stop: async () => {
      await stop();
      await projector.stop();
    },
  };
}

const register = () => stores.append(appRegistryStream, shopRegistered);
const touch = (...events: readonly StoredEvent[]) => stores.append(touchpointJournal(1, "writer"), ...events);
const happen = (...events: readonly StoredEvent[]) => stores.append(appEventJournal(1, "writer"), ...events);

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
  assert.equal(attribution.outcome === "decided" && attribution.latest.decision, recorded?.data);
  assert.equal(running.failures, []);
  await running.stop();
});

attributing("decides each target event with the rules in force at its position, whenever it is decided", async () => {
  await register();
  await touch(aClick());
  const open = (number: number) =>
    anInstall({
      eventId: exampleUuid("open", number),
      category: "app_deeplink_open",
      at: `2026-03-01T1${number}:00:00Z`,
    });
  await happen(open(0));
  const set = (rules: PartialRules): StoredEvent => ({
    type: "AttributionRulesChanged",
    data: { appId: 1, rules: parseRules(rules) },
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
});

attributing("resumes after a stop, and decides nothing twice", async () => {
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

/** Whose winner each app event carries at a position, as reports read it. */
async function winnersAt({ commit }: LogPosition) {
  const { db, schema } = await createReadModels(stores.db, [facts]).live("facts");
  const { rows } = await db.raw(
    `select touchpoint_id from ${schema}.app_events
     where from_position <= :commit and :commit < to_position order by at`,
    { commit: commit.toString() },
  );
  return rows.map((row: { touchpoint_id: string | null }) => row.touchpoint_id);
}

attributing("gives an install to a click that arrives late, from the click's position on", async () => {
  const [a, b, older, bot] = ["09:00", "09:30", "08:00", "09:45"].map((time, index) =>
    aClick({ touchpointId: exampleUuid("click", index + 1), at: `2026-03-01T${time}:00.000Z` }),
  );
  if (a === undefined || b === undefined || older === undefined || bot === undefined) throw new Error("Four clicks");
  const [byA, byB] = [a, b].map(({ data }) => data.touchpointId);
  const running = await start();
  await register();
  await touch(a);
  const before = await happen(anInstall(), anOrder());
  await running.decided(before);
  assert.equal(await winnersAt(before), [byA, byA]);

  await touch(older, aClick({ ...bot.data, verdict: { human: false, bot: "spider" } }));
  const late = await touch(b);
  const after = await happen(anOrder({ eventId: exampleUuid("order", 2), at: "2026-03-01T13:00:00.000Z" }));
  await running.decided(after);
  assert.equal(
    [await winnersAt(before), await winnersAt(late), await winnersAt(after)],
    [
      [byA, byA],
      [byB, byB],
      [byB, byB, byB],
    ],
  );
  const revisions = (await stores.all()).filter(({ type }) => type === "AttributionRevised");
  const { eventId } = anInstall().data;
  assert.equal(
    revisions.map(({ stream, revision, data }) => [stream, revision, (data as AttributionRevised["data"]).candidates]),
    [[attributionStream(1, eventId), 1n, verdicts([b, "won"], [a, "older"], [older, "older"], [bot, "bot"])]],
  );
  const attribution = await attributionOf(await createReadModels(stores.db, [facts]).live("facts"), 1, eventId);
  const winners =
    attribution.outcome === "decided" &&
    [attribution.latest, ...attribution.former].map(({ decision }) => decision.winner?.touchpointId);
  assert.equal(winners, [byB, byA]);
  assert.equal(running.failures, []);
  await running.stop();
});

attributing("revises once what a stopped reactor has left, on rebuilt facts", async () => {
  await register();
  await touch(aClick());
  const installs = Array.from({ length: 60 }, (_, index) => anInstall({ eventId: exampleUuid("install", index) }));
  const first = await start();
  await first.decided(await happen(...installs));
  const clicks = [2, 3, 4].map((number) =>
    aClick({ touchpointId: exampleUuid("click", number), at: `2026-03-01T09:0${number}:00.000Z` }),
  );
  const last = await touch(...clicks);
  while ((await stores.all()).every(({ type }) => type !== "AttributionRevised")) await undefined;
  await first.stop();
  await rebuild(stores.db, stores.log, "facts", [facts], { graceMs: 0 });
  const second = await start();
  await second.decided(last);
  const revisions = (await stores.all()).filter(({ type }) => type === "AttributionRevised");
  assert.is(revisions.length, 180);
  assert.equal(
    await winnersAt(last),
    installs.map(() => exampleUuid("click", 4)),
  );
  assert.equal([...first.failures, ...second.failures], []);
  await second.stop();
});

function verdicts(...assessed: readonly (readonly [ClickRecorded, CandidateVerdict])[]) {
  return assessed.map(([{ data }, verdict]) => {
    return { touchpointId: data.touchpointId, kind: "click", at: data.at, matchedBy: "probabilistic", verdict };
  });
}

attributing.run();
