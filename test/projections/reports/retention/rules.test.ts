import { suite } from "uvu";
import * as assert from "uvu/assert";
import { spring } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { twitter } from "../masking/networks.ts";
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

starts("at the same instant are told apart by their places in the log", async () => {
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

starts("are chosen before they are filtered, so that a row of a group says what a filter to it says", async () => {
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

masked("hides the block of a withheld start, and what has begun for it in the total", async () => {
  const events = [
    install,
    { ...happened("2026-03-03T10:00:00+09:00", { device: 2 }), ...ofTwitter },
    ordered("2026-03-01T11:00:00+09:00", 1),
    ordered("2026-03-04T11:00:00+09:00", 1),
  ];
  const { rows, notifications } = await facts.answer(events, retentionReport());
  assert.equal(rows, [
    {
      groupBys: [],
      total: { startUsers: null, values: [null, null, 0, 1], of: [1, 1, 1, 1] },
      rows: [
        { date: "2026-03-01", startUsers: 1, values: [1, 0, 0, 1] },
        { date: "2026-03-03", startUsers: null, values: [null, null] },
      ],
    },
  ]);
  assert.equal(
    notifications.map(({ code }) => code),
    ["AGG_DATA_MASKING_BY_PARTNER"],
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

masked("says when it is too old", async () => {
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

const limits = suite("the limits of a retention report");
limits.after(() => facts.close());

/** Installs of one device each, so many minutes apart. */
const everyMinute = (count: number, more: (index: number) => Partial<AppEvent> = () => ({})): readonly AppEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.parse("2026-03-01T00:00:00+09:00") + index * 60_000).toISOString();
    return happened(at, { device: index, ...more(index) });
  });
const byMinute = { granularity: "minute", to: "2026-03-10" } as const;
const later = { now: new Date("2026-03-10T12:00:00+09:00") };

limits("are 10,000 sub-rows of one group; with more there is no result", async () => {
  const schema = await facts.write(everyMinute(10_001));
  for (const [minutes, subRows] of [
    [10_000, 10_000],
    [10_001, undefined],
  ] as const) {
    const now = new Date(Date.parse("2026-03-01T00:00:00+09:00") + (minutes - 1) * 60_000);
    const result = await facts.run(schema, retentionReport({ ...byMinute, to: "2026-03-07" }, { now }));
    assert.is(result?.rows[0]?.rows.length, subRows);
  }
});

limits("leave out whole groups, the last by the sort, and say so", async () => {
  const halves = everyMinute(10_001, (index) => of(index < 5_000 ? "kakao" : "partner"));
  const schema = await facts.write(halves);
  const result = await facts.run(schema, retentionReport({ ...byMinute, groupBys: ["channel"] }, later));
  assert.equal(
    result?.rows.map(({ groupBys, rows }) => [...groupBys, rows.length]),
    [["partner", 5_001]],
  );
  assert.equal(
    result?.notifications.map(({ code }) => code),
    ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.cohorts"],
  );
});

limits("are 1,000 groups", async () => {
  const schema = await facts.write(everyMinute(1_001, (index) => of("kakao", { campaign: `campaign ${index}` })));
  const shown = async (minutes: number) => {
    const now = new Date(Date.parse("2026-03-01T00:00:00+09:00") + (minutes - 1) * 60_000);
    const query = { groupBys: ["campaign"], to: "2026-03-01" };
    const result = await facts.run(schema, retentionReport(query, { now }));
    return [result?.rows.length, result?.notifications.map(({ code }) => code)];
  };
  assert.equal(await shown(1_000), [1_000, []]);
  assert.equal(await shown(1_001), [1_000, ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.cohorts"]]);
});

starts.run();
masked.run();
limits.run();
