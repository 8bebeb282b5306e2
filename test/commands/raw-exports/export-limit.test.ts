import { suite } from "uvu";
import * as assert from "uvu/assert";
import { placeOf, reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { addDays, startOfDay } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import {
  codeOf,
  type ExportRequests,
  idIn,
  installs,
  startExportRequests,
  timezone,
  today,
  yesterday,
} from "./export-requests.ts";

let exports: ExportRequests;
const limit = suite("the number of exports");
limit.before.each(async () => {
  exports = await startExportRequests();
});
limit.after.each(() => exports.close());

const numberOf = (reportId: number): number => placeOf(reportId)?.number ?? 0;

limit("is 100 a day and app: the next is 429 until midnight in the app's zone", async () => {
  await exports.fill(99, shop.appId, today);
  const last = await exports.request(installs);
  assert.equal([last.status, numberOf(idIn(last))], [200, 100]);

  const seconds = (): number => (startOfDay(timezone, addDays(today, 1)) - Date.now()) / 1_000;
  const before = seconds();
  const refused = await exports.request(installs);
  assert.is(codeOf(refused), "429 EXPORT_LIMIT_REACHED");
  const retryAfter = Number(refused.headers["retry-after"]);
  assert.ok(retryAfter >= seconds() && retryAfter <= Math.ceil(before), `${retryAfter} of ${before} s`);
  assert.is((await exports.events()).length, 100);
  assert.equal(exports.failures(), []);
});

limit("is another app's own, and another day's", async () => {
  await exports.fill(100, shop.appId, yesterday);
  await exports.fill(100, 2, today);
  const answer = await exports.request(installs);
  assert.is(idIn(answer), reportIdOf({ appId: shop.appId, date: today, number: 1 }));
  assert.is((await exports.request(installs, { app: "cafe", token: "other_owner" })).status, 429);
});

limit("is reached after what is wrong with a request is told", async () => {
  await exports.fill(100, shop.appId, today);
  assert.is(codeOf(await exports.request({ ...installs, events: ["click"] })), "400 VALIDATION_FAILED");
  assert.is(codeOf(await exports.request(installs, { type: "none" })), "404 NOT_FOUND");
});

limit("is never exceeded by two processes that are asked at once, nor is an id given twice", async () => {
  await exports.fill(97, shop.appId, today);
  const answers = await Promise.all(
    ([0, 1, 0, 1, 0, 1] as const).map((process) => exports.request(installs, { process })),
  );
  const taken = answers.filter(({ status }) => status === 200).map((answer) => numberOf(idIn(answer)));
  assert.equal(
    taken.sort((one, other) => one - other),
    [98, 99, 100],
  );
  assert.equal(answers.map(({ status }) => status).sort(), [200, 200, 200, 429, 429, 429]);
  assert.is((await exports.events()).length, 100);
});

limit.run();

const keyed = suite("an export that is requested with an Idempotency-Key");
keyed.before(async () => {
  exports = await startExportRequests();
});
keyed.after(() => exports.close());

const key = (text: string) => ({ headers: { "Idempotency-Key": text } });

keyed("is one export however often it is requested, with the first answer", async () => {
  const first = await exports.request(installs, key("one"));
  const again = await exports.request(installs, { ...key("one"), process: 1 });
  assert.is(first.headers["idempotent-replayed"], undefined);
  assert.equal([again.status, again.text, again.headers["idempotent-replayed"]], [200, first.text, "true"]);
  assert.is((await exports.events()).length, 1);
});

keyed("is one export for two processes that are asked at once", async () => {
  const before = (await exports.events()).length;
  const answers = await Promise.all(
    ([0, 1, 0, 1] as const).map((process) => exports.request(installs, { ...key("two"), process })),
  );
  assert.is(new Set(answers.map(idIn)).size, 1);
  assert.is((await exports.events()).length, before + 1);
});

keyed("is 409 with another body, or of another type", async () => {
  await exports.request(installs, key("three"));
  const before = (await exports.events()).length;
  const other = { ...installs, events: ["app_open"] };
  assert.is(codeOf(await exports.request(other, key("three"))), "409 IDEMPOTENCY_KEY_REUSED");
  assert.is(codeOf(await exports.request(installs, { ...key("three"), type: "web" })), "409 IDEMPOTENCY_KEY_REUSED");
  assert.is((await exports.events()).length, before);
});

keyed("is answered as before when the day is full since", async () => {
  const first = await exports.request(installs, key("four"));
  await exports.fill(100 - (await exports.events()).length, shop.appId, today);
  assert.is((await exports.request(installs, key("four"))).text, first.text);
  assert.is(codeOf(await exports.request(installs, key("five"))), "429 EXPORT_LIMIT_REACHED");
});

keyed.run();
