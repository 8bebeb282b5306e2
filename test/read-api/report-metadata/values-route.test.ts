import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FieldValues, ValuesQuery } from "../../../domain/reporting/values/query.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { valuesRoute } from "../../../read-api/report-metadata/values-route.ts";
import { shop } from "../../examples/app.ts";
import { principals, startApplication } from "../../support/application.ts";
import { problemOf } from "../../support/short-faults.ts";

type Requested = ValuesQuery & { readonly onlyChannels: readonly string[] | null };

const today = localDate(shop.timezone, Date.now());
const found: FieldValues = { values: ["spring", "summer"], hasNext: true };
const queries: Requested[] = [];
let answer: () => Promise<FieldValues | null> = async () => found;

const application = await startApplication({
  principals: { partner: principals.media_partner },
  routes: [
    valuesRoute({
      valuesOf: (_, onlyChannels, __, query) => {
        queries.push({ ...query, onlyChannels });
        return answer();
      },
    }),
  ],
});
const read = (query: string, token = "owner") =>
  application.call("GET", `/dataspec/v2/apps/${shop.name}/values${query}`, { token });

const route = suite("GET values");
route.after(() => application.close());
route.after.each(() => {
  queries.length = 0;
  answer = async () => found;
});

route("returns the values of the last 92 dates with the prefix as it was entered", async () => {
  const { status, json } = await read("?field=campaign&prefix=50%25_%5c");
  const expected = { data: { field: "campaign", values: ["spring", "summer"] }, pagination: { hasNext: true } };
  assert.equal([status, json], [200, expected]);
  const query = { field: "campaign", prefix: "50%_\\", from: addDays(today, -91), to: today };
  assert.equal(queries, [{ ...query, onlyChannels: null }]);
});

route("returns only those of its channels to a media partner", async () => {
  assert.is((await read("?field=country&from=2026-01-01&to=2026-01-02", "partner")).status, 200);
  const onlyChannels = [...(principals.media_partner as { channels: readonly string[] }).channels].sort();
  assert.equal(queries, [{ field: "country", prefix: "", from: "2026-01-01", to: "2026-01-02", onlyChannels }]);
});

const cases: readonly (readonly [what: string, query: string, ...fault: (readonly string[])[]])[] = [
  ["a prefix of 255 characters", `?field=term&prefix=${"x".repeat(255)}`],
  ["a prefix of 256 characters", `?field=term&prefix=${"x".repeat(256)}`],
  ["a prefix of 257 characters", `?field=term&prefix=${"x".repeat(257)}`, ["query", "prefix", "too_long"]],
  ["91 dates", `?field=term&from=${addDays(today, -90)}`],
  ["92 dates", `?field=term&from=${addDays(today, -91)}`],
  ["the earliest date", "?field=term&from=2000-01-01&to=2000-01-01"],
  ["an earlier one", "?field=term&from=1999-12-31&to=2000-01-01", ["query", "from", "out_of_range"]],
  ["93 dates", `?field=term&from=${addDays(today, -92)}`, ["query", "to", "out_of_range"]],
  [
    "a day that there is not",
    "?field=term&to=2026-02-30",
    ["query", "from", "wrong_format"],
    ["query", "to", "wrong_format"],
  ],
  ["a day to come", `?field=term&to=${addDays(today, 1)}`, ["query", "to", "out_of_range"]],
  ["no field", "", ["query", "field", "missing"]],
  ["a field of single events", "?field=device_id", ["query", "field", "not_allowed"]],
];
for (const [what, query, ...faults] of cases) {
  route(`with ${what} is ${faults.length === 0 ? "accepted" : "refused"}`, async () => {
    const response = await read(query);
    if (faults.length === 0) assert.is(response.status, 200, response.text);
    else assert.equal(problemOf(response), { status: 400, code: "VALIDATION_FAILED", errors: faults });
  });
}

route("names the field that was probably meant", async () => {
  const { text } = await read("?field=campain");
  assert.match(text, "campain (did you mean campaign?)");
});

route("responds with 503 while four others are read, and when it takes too long", async () => {
  const ends: ((values: FieldValues) => void)[] = [];
  answer = () => new Promise((resolve) => ends.push(resolve));
  const reading = Array.from({ length: 4 }, () => read("?field=term"));
  while (ends.length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(problemOf(await read("?field=term")), { status: 503, code: "OVERLOADED", errors: [] });
  for (const end of ends) end(found);
  assert.equal(
    (await Promise.all(reading)).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  answer = async () => null;
  assert.equal(problemOf(await read("?field=term")), { status: 503, code: "VALUES_TOO_SLOW", errors: [] });
});

route.run();
