import { suite } from "uvu";
import * as assert from "uvu/assert";
import { spring } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { happened, opened, openRetentionFacts, ordered, retentionReport } from "./examples.ts";

const facts = await openRetentionFacts();
const install = happened("2026-03-01T10:00:00+09:00");
const both = { startEvents: ["app_installs", "app_deeplink_opens"] } as const;
const of = (channel: string, more: object = {}): Pick<AppEvent, "label"> => {
  return { label: { source: { ...spring, channel, ...more }, kind: "click" } };
};
const ofTwitter: Pick<AppEvent, "label"> = { label: { source: twitter, kind: "click" } };

const starts = suite("starts of a retention report");

starts("are the last of each device and date: what came back before it has not come back", async () => {
  const again = opened("2026-03-01T12:00:00+09:00", 1);
  const { rows } = await facts.answer([install, ordered("2026-03-01T11:00:00+09:00", 1), again], retentionReport(both));
  assert.equal(rows[0]?.rows, [{ date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 0] }]);
});

starts("count a return at their very instant", async () => {
  const { rows } = await facts.answer([install, ordered("2026-03-01T10:00:00+09:00", 1)], retentionReport());
  assert.equal(rows[0]?.total, { startUsers: 1, values: [1, 0, 0, 0], of: [1, 1, 1, 1] });
});

starts("at the same instant are ordered by their positions in the log", async () => {
  const query = retentionReport({ ...both, groupBys: ["channel"] });
  const one = { ...install, ...of("kakao") };
  const other = opened("2026-03-01T10:00:00+09:00", 1, of("partner"));
  for (const [first, second] of [
    [1, 2],
    [2, 1],
  ] as const) {
    const { rows } = await facts.answer(
      [
        { ...one, from: first },
        { ...other, from: second },
      ],
      query,
    );
    assert.equal(
      rows.map(({ groupBys }) => groupBys),
      [[first > second ? "kakao" : "partner"]],
    );
  }
});

starts("are chosen before they are filtered, so that the row of a group equals a report filtered to it", async () => {
  const events = [
    { ...install, ...of("kakao") },
    opened("2026-03-01T12:00:00+09:00", 1, of("partner")),
    opened("2026-03-03T12:00:00+09:00", 1, of("kakao")),
    ordered("2026-03-04T10:00:00+09:00", 1),
  ];
  const grouped = await facts.answer(events, retentionReport({ ...both, groupBys: ["channel"] }));
  for (const { groupBys, total, rows } of grouped.rows) {
    const filters = [{ dimension: "channel", filterType: "IN" as const, values: groupBys.map(String) }];
    const filtered = await facts.answer(events, retentionReport({ ...both, filters }));
    assert.equal(filtered.rows, [{ groupBys: [], total, rows }]);
  }
  assert.equal(
    grouped.rows.map(({ groupBys }) => groupBys),
    [["kakao"], ["partner"]],
  );
});

starts("that are missing make no rows", async () => {
  const { rows, notifications } = await facts.answer([ordered("2026-03-02T10:00:00+09:00", 1)], retentionReport());
  assert.equal({ rows, notifications }, { rows: [], notifications: [] });
});

const masked = suite("a retention report of what is withheld");
masked.after(() => facts.close());

masked(
  "hides what has begun for a withheld start in the total; a block of which nothing is left has no row",
  async () => {
    const events = [
      install,
      { ...happened("2026-03-03T10:00:00+09:00", { device: 2 }), ...ofTwitter },
      ordered("2026-03-01T11:00:00+09:00", 1),
      ordered("2026-03-04T11:00:00+09:00", 1),
    ];
    const result = await facts.answer(events, retentionReport());
    const { rows, notifications } = result;
    assert.equal(rows, [
      {
        groupBys: [],
        total: { startUsers: null, values: [null, null, 0, 1], of: [1, 1, 1, 1] },
        rows: [{ date: "2026-03-01", startUsers: 1, values: [1, 0, 0, 1] }],
      },
    ]);
    assert.equal(
      notifications.map(({ code }) => code),
      ["AGG_DATA_MASKING_BY_PARTNER"],
    );
    assert.equal(listedMonths(result), ["twitter 2026-03"]);
  },
);

masked("counts a start as if withheld ones were not: on its date and after it", async () => {
  const withheld = (at: string) => ({ ...happened(at, { device: 1 }), label: ofTwitter.label });
  const events = [install, withheld("2026-03-01T20:00:00+09:00"), withheld("2026-03-02T09:00:00+09:00")];
  const back = ordered("2026-03-02T11:00:00+09:00", 1);
  const query = { groupBys: ["channel"], measurementOption: "confined_retention" } as const;
  const { rows } = await facts.answer([...events, back], retentionReport(query));
  assert.equal(
    rows.map(({ groupBys, total }) => [groupBys, total.startUsers, total.values]),
    [
      [["partner"], 1, [0, 1, 0, 0]],
      [["twitter"], null, [null, null, null, null]],
    ],
  );
});

masked("is one group by its channel and month, however many there are", async () => {
  const withheld = [1, 2, 3].map((device) => {
    const source = { ...twitter, campaign: `c${device}` };
    return { ...happened(`2026-03-0${device}T10:00:00+09:00`, { device }), label: { source, kind: "click" as const } };
  });
  const groupBys = ["campaign", "event_month", "event_date", "channel"];
  const { rows } = await facts.answer(withheld, retentionReport({ groupBys }));
  const values = [null, null, null, null];
  const total = { startUsers: null, values, of: [0, 0, 0, 0] };
  assert.equal(rows, [{ groupBys: [null, "2026-03", null, "twitter"], total, rows: [] }]);
});

starts("after the range take the returns after them when returns are confined", async () => {
  const events = [
    install,
    happened("2026-03-03T09:00:00+09:00", { device: 1 }),
    ordered("2026-03-04T11:00:00+09:00", 1),
  ];
  const query = { to: "2026-03-01", measurementOption: "confined_retention" } as const;
  const cohorts: unknown[] = [];
  for (const to of ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]) {
    const { rows } = (await facts.answer(events, retentionReport({ ...query, to }))) ?? { rows: [] };
    cohorts.push(rows[0]?.rows[0]);
  }
  assert.equal(
    cohorts,
    cohorts.map(() => ({ date: "2026-03-01", startUsers: 1, values: [0, 0, 0, 0] })),
  );
});

masked("hides the cells that a withheld return would have counted in", async () => {
  const lost = ordered("2026-03-02T11:00:00+09:00", 1, ofTwitter);
  const { rows, notifications } = await facts.answer(
    [install, lost, ordered("2026-03-02T11:00:00+09:00", 1)],
    retentionReport(),
  );
  assert.equal(rows[0]?.total, { startUsers: 1, values: [0, null, 0, 0], of: [1, 1, 1, 1] });
  assert.equal(rows[0]?.rows, [{ date: "2026-03-01", startUsers: 1, values: [0, null, 0, 0] }]);
  assert.equal(
    notifications.map(({ code }) => code),
    ["AGG_DATA_MASKING_BY_PARTNER"],
  );
});

masked("notifies when it is too old", async () => {
  const { rows, notifications } = await facts.answer(
    [{ ...install, ...ofTwitter }],
    retentionReport({}, { now: new Date("2026-09-01T12:00:00+09:00") }),
  );
  assert.is(rows[0]?.total.startUsers, null);
  assert.equal(
    notifications.map(({ code }) => code),
    ["SAN_PERIOD_LIMIT"],
  );
});

starts.run();
masked.run();
