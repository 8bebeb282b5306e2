import { suite } from "uvu";
import * as assert from "uvu/assert";
import { selectMaskedRanges } from "../../../../projections/reports/masking/masked-facts.ts";
import { selectRows } from "../../../../projections/reports/query/bindings.ts";
import { retentionStatement } from "../../../../projections/reports/retention/statement.ts";
import type { AppEvent } from "../facts.ts";
import { listedMonths, twitter } from "../masking/networks.ts";
import { happened, openRetentionFacts, ordered, retentionReport } from "./examples.ts";

const facts = await openRetentionFacts();
const install = happened("2026-03-01T10:00:00+09:00");
const ofTwitter: Pick<AppEvent, "label"> = { label: { source: twitter, kind: "click" } };

interface Line {
  readonly groups: number;
  readonly place: number | null;
  readonly block: number | null;
  readonly startUsers: number;
}

const masked = suite("a retention report of withheld data");
masked.after(() => facts.close());

masked("hides intervals of a withheld start in the total; a fully masked block has no row", async () => {
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
});

masked("takes no sub-row of a result that a fully masked block would have", async () => {
  const withheld = [2, 3].map((day) => ({
    ...happened(`2026-03-0${day}T10:00:00+09:00`, { device: day }),
    ...ofTwitter,
  }));
  const schema = await facts.write([install, ...withheld]);
  const report = retentionReport();
  const lines = await facts.db.transaction(async (trx) => {
    const ranges = await selectMaskedRanges(trx, schema, report, report.query);
    const max = { groups: 1, subRows: 1, lines: 2 };
    return selectRows<Line>(trx, retentionStatement(schema, report, report.query.to, ranges, max));
  });
  facts.release(schema);
  assert.equal(
    lines.map(({ groups, place, block, startUsers }) => [groups, place, block, startUsers]),
    [
      [1, 1, null, 1],
      [1, 1, 0, 1],
      [1, 1, 1, 0],
      [1, 1, 2, 0],
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

masked("notifies when it is a return, and when it is too old", async () => {
  const codesOf = async (events: readonly AppEvent[], report = retentionReport()) =>
    (await facts.answer(events, report)).notifications.map(({ code }) => code);
  const maskedReturn = ordered("2026-03-02T11:00:00+09:00", 1, ofTwitter);
  assert.equal(await codesOf([install, maskedReturn]), ["AGG_DATA_MASKING_BY_PARTNER"]);
  const later = retentionReport({}, { now: new Date("2026-09-01T12:00:00+09:00") });
  assert.equal(await codesOf([{ ...install, ...ofTwitter }], later), ["SAN_PERIOD_LIMIT"]);
});

masked("names only channel-months of what could start on its dates with its filters, or return", async () => {
  const of = (channel: string, campaign: string): Pick<AppEvent, "label"> => {
    return { label: { source: { ...twitter, channel, campaign }, kind: "click" } };
  };
  const events = [
    { ...install, ...of("partner", "spring") },
    { ...happened("2026-03-01T10:00:00+09:00", { device: 2 }), ...of("tiktok", "spring") },
    { ...happened("2026-03-01T10:00:00+09:00", { device: 3 }), ...of("snapchat", "summer") },
    { ...happened("2026-03-02T10:00:00+09:00", { device: 4 }), ...of("apple.searchads", "spring") },
    ordered("2026-03-02T11:00:00+09:00", 1, of("twitter", "summer")),
  ];
  const filters = [{ dimension: "campaign", filterType: "IN" as const, values: ["spring"] }];
  const result = await facts.answer(events, retentionReport({ to: "2026-03-01", filters }));
  assert.equal(listedMonths(result), ["tiktok 2026-03", "twitter 2026-03"]);
});

masked.run();
