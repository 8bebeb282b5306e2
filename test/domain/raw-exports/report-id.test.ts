import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { placeOf, reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { addDays } from "../../../domain/values/local-time.ts";

const anyPlace = fc
  .tuple(fc.integer({ min: 1, max: 90_000_000 }), fc.nat({ max: 99_999 }), fc.integer({ min: 1, max: 100 }))
  .map(([appId, days, number]) => ({ appId, date: addDays("1970-01-01", days), number }));

const id = suite("the id of an export");

id("shows its app, its day since 1970 and its number", () => {
  assert.is(reportIdOf({ appId: 7, date: "1970-01-01", number: 1 }), 700_000_001);
  assert.is(reportIdOf({ appId: 1, date: "2026-03-31", number: 100 }), 120_543_100);
  assert.equal(placeOf(120_543_100), { appId: 1, date: "2026-03-31", number: 100 });
});

id("is a safe integer, from which app, date and number are read back", () => {
  fc.assert(
    fc.property(anyPlace, (place) => {
      const reportId = reportIdOf(place);
      assert.ok(Number.isSafeInteger(reportId));
      assert.equal(placeOf(reportId), place);
    }),
  );
});

const none = [0, 1, -120_543_001, 543_001, 99_999_999, 120_543_000, 120_543_101, 120_543_999, 1.5, 120_543_001.5];
for (const number of [...none, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 2, 1e300]) {
  id(`is never ${number}`, () => assert.is(placeOf(number), null));
}

id("is the id of its place, for any integer that has one", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      const place = placeOf(number);
      if (place !== null) assert.is(reportIdOf(place), number);
    }),
    { numRuns: 1_000 },
  );
});

id.run();
