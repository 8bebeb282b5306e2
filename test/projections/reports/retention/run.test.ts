import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import type { RetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import { spring } from "../actuals/advertising.ts";
import { someFlags } from "../cohorts/generated.ts";
import type { AppEvent } from "../facts.ts";
import { happened, opened, openRetentionFacts, ordered, retentionReport } from "./examples.ts";
import { someHistories } from "./generated.ts";
import { asReference, referenceGroups } from "./reference.ts";

const facts = await openRetentionFacts();

const retention = suite("a retention report");
retention.after(() => facts.close());

retention("leaves a cohort out of the rate of an interval that has not begun for it", async () => {
  const cohort = (date: string, first: number, size: number, back: number): readonly AppEvent[] =>
    Array.from({ length: size }, (_, index) => [
      happened(`${date}T10:00:00+09:00`, { device: first + index }),
      ...(index < back
        ? [ordered(`${date.slice(0, 8)}0${Number(date.slice(8)) + 1}T10:00:00+09:00`, first + index)]
        : []),
    ]).flat();
  const installs = [
    ...cohort("2026-03-01", 0, 100, 40),
    ...cohort("2026-03-03", 100, 50, 10),
    ...cohort("2026-03-04", 150, 80, 0),
  ];
  const { rows } = await facts.answer(installs, retentionReport());
  assert.equal(rows, [
    {
      groupBys: [],
      total: { startUsers: 230, values: [0, 50, 0, 0], of: [230, 150, 100, 100] },
      rows: [
        { date: "2026-03-01", startUsers: 100, values: [0, 40, 0, 0] },
        { date: "2026-03-03", startUsers: 50, values: [0, 10] },
        { date: "2026-03-04", startUsers: 80, values: [0] },
      ],
    },
  ]);
});

retention("counts acknowledged starts whose clock is ahead of the report's 'now', but no such returns", async () => {
  const [early, late] = ["2026-03-04T11:59:59+09:00", "2026-03-04T12:05:00+09:00"];
  const events = [
    ...[happened(early, { device: 1 }), ordered(early, 1), ordered(late, 1)],
    ...[happened(late, { device: 2 }), ordered(late, 2)],
  ];
  const [day] = (await facts.answer(events, retentionReport({ from: "2026-03-04" }))).rows;
  const [hour] = (await facts.answer(events, retentionReport({ from: "2026-03-04", granularity: "hour" }))).rows;
  assert.equal(day?.rows, [{ date: "2026-03-04", startUsers: 2, values: [1] }]);
  assert.equal(
    hour?.rows.map(({ startUsers, values }) => [startUsers, values]),
    [
      [1, [1, 0]],
      [1, [0]],
    ],
  );
});

retention("counts a return for every start before it, or confined to the latest one", async () => {
  const events = [
    happened("2026-03-01T10:00:00+09:00"),
    opened("2026-03-03T10:00:00+09:00", 1),
    ordered("2026-03-04T10:00:00+09:00", 1),
  ];
  const rowsWith = async (measurementOption: RetentionQuery["measurementOption"]) => {
    const startEvents = ["app_installs", "app_deeplink_opens"] as const;
    return (await facts.answer(events, retentionReport({ startEvents, measurementOption }))).rows;
  };
  assert.equal(await rowsWith("general_retention"), [
    {
      groupBys: [],
      total: { startUsers: 1, values: [0, 1, 0, 1], of: [1, 1, 1, 1] },
      rows: [
        { date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 1] },
        { date: "2026-03-03", startUsers: 1, values: [0, 1] },
      ],
    },
  ]);
  assert.equal(await rowsWith("confined_retention"), [
    {
      groupBys: [],
      total: { startUsers: 1, values: [0, 1, 0, 0], of: [1, 1, 1, 1] },
      rows: [
        { date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 0] },
        { date: "2026-03-03", startUsers: 1, values: [0, 1] },
      ],
    },
  ]);
});

retention("confines a return to a start after the range", async () => {
  const events = [
    happened("2026-03-01T10:00:00+09:00"),
    opened("2026-03-03T10:00:00+09:00", 1),
    ordered("2026-03-04T10:00:00+09:00", 1),
  ];
  const startEvents = ["app_installs", "app_deeplink_opens"] as const;
  const query = { to: "2026-03-02", startEvents, measurementOption: "confined_retention" } as const;
  const [row] = (await facts.answer(events, retentionReport(query))).rows;
  assert.equal(row?.rows, [{ date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 0] }]);
});

retention("confines a return at the very moment of a start to that one", async () => {
  const events = [
    happened("2026-03-01T10:00:00+09:00"),
    opened("2026-03-03T10:00:00+09:00", 1),
    ordered("2026-03-03T10:00:00+09:00", 1),
  ];
  const startEvents = ["app_installs", "app_deeplink_opens"] as const;
  const query = { startEvents, measurementOption: "confined_retention" } as const;
  const [row] = (await facts.answer(events, retentionReport(query))).rows;
  assert.equal(row?.rows, [
    { date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 0] },
    { date: "2026-03-03", startUsers: 1, values: [1, 0] },
  ]);
});

retention("counts a device of two starts once in the top row of an interval", async () => {
  const events = [
    happened("2026-03-01T10:00:00+09:00"),
    happened("2026-03-03T10:00:00+09:00"),
    ordered("2026-03-02T10:00:00+09:00", 1),
    ordered("2026-03-04T10:00:00+09:00", 1),
  ];
  const { rows } = await facts.answer(events, retentionReport());
  assert.equal(rows, [
    {
      groupBys: [],
      total: { startUsers: 1, values: [0, 1, 0, 1], of: [1, 1, 1, 1] },
      rows: [
        { date: "2026-03-01", startUsers: 1, values: [0, 1, 0, 1] },
        { date: "2026-03-03", startUsers: 1, values: [0, 1] },
      ],
    },
  ]);
});

retention("starts on a date with the last event, of those at one instant with the last in the log", async () => {
  const starts = (["a", "b", "c"] as const).map((campaign, index) => {
    const label = { source: { ...spring, campaign }, kind: "click" as const };
    return happened(index === 2 ? "2026-03-01T09:59:00+09:00" : "2026-03-01T10:00:00+09:00", {
      from: index + 1,
      label,
    });
  });
  for (const events of [starts, starts.toReversed()]) {
    const { rows } = await facts.answer(events, retentionReport({ groupBys: ["campaign"] }));
    assert.equal(
      rows.map(({ groupBys, total }) => [groupBys, total.startUsers]),
      [[["b"], 1]],
    );
  }
});

retention("counts returns in the last interval of a start, and none after it", async () => {
  const events = [
    happened("2026-03-01T10:00:00+09:00"),
    happened("2026-03-01T10:00:00+09:00", { device: 2 }),
    ordered("2026-03-01T13:00:59+09:00", 1),
    ordered("2026-03-01T13:01:00+09:00", 2),
  ];
  const { rows } = await facts.answer(events, retentionReport({ granularity: "minute" }));
  assert.equal(rows[0]?.total.values, [...Array(180).fill(0), 1]);
});

for (const granularity of granularities) {
  retention(`by the ${granularity} is what a plain reading of the history gives, 100 times`, async () => {
    await fc.assert(
      fc.asyncProperty(someHistories(25, granularity), someFlags, async (histories, channelFlags) => {
        const schema = await facts.write(
          histories.flatMap(({ events }) => events),
          { channelFlags },
        );
        for (const { events, question } of histories) {
          const result = await facts.run(schema, question);
          assert.ok(result);
          const expected = referenceGroups(events, channelFlags, question);
          assert.equal(asReference(result), expected, JSON.stringify(question.query));
        }
        facts.release(schema);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
}

retention.run();
