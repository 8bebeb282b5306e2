import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Contribution, ExplainedPart, Page } from "../../../projections/reports/explain/explanation.ts";
import { explanationCsv } from "../../../read-api/report-tasks/explanation-csv.ts";

const spent = (row: number, campaign: string, contribution: string): Contribution => ({
  fact: { kind: "spend_row", requestId: "upload", row, position: "7", date: "2026-03-01", channel: "kakao", campaign },
  amount: { value: contribution, currency: "EUR" },
  rate: { date: "2026-02-28", appUnits: "1500.5", ownUnits: "1" },
  contribution,
});
const part = (contributions: readonly Contribution[], found = contributions.length): ExplainedPart => ({
  ...{ counts: { kind: "cost" }, sum: "0", unconverted: { count: 0, currencies: [] }, maskingReasons: [] },
  ...{ found, contributions },
});
const all = [spent(2, "=HYPERLINK(1)", "-1.5"), spent(3, "\n=1", "2"), spent(4, "+3+4", "4")];
const pageOf = ({ skip, size }: Page) => part(all.slice(skip, skip + size), all.length);
const header = [
  ...["part", "kind", "eventId", "touchpointId", "requestId", "row", "position", "countsFrom", "occurredAt", "date"],
  ...["category", "eventCategory", "touchpointKind", "userId", "channel", "campaign", "startEventId"],
  ...["value", "currency", "rateDate", "appUnits", "ownUnits", "contribution"],
].join(",");
const line = (row: number, campaign: string, contribution: string, name = "value"): string =>
  `${name},spend_row,,,upload,${row},7,,,2026-03-01,,,,,kakao,${campaign},,${contribution},EUR,2026-02-28,1500.5,1,${contribution}`;

const csv = suite("an explanation as CSV");

async function textOf(parts: readonly ExplainedPart[], size: number, pages: Page[] = []): Promise<string> {
  const more = async (page: Page) => {
    pages.push(page);
    return { outcome: "explained", parts: [pageOf(page)] } as const;
  };
  let text = "";
  for await (const piece of explanationCsv(parts, { skip: 0, size }, more)) text += piece;
  return text;
}

for (const size of [1, 2, 3, 4]) {
  csv(`has every contribution in pages of ${size}, without formulas`, async () => {
    const pages: Page[] = [];
    const text = await textOf([pageOf({ skip: 0, size })], size, pages);
    const lines = [line(2, "'=HYPERLINK(1)", "-1.5"), line(3, '"\'\n=1"', "2"), line(4, "'+3+4", "4")];
    assert.is(text, `${[header, ...lines].join("\r\n")}\r\n`);
    assert.equal(
      pages.map(({ skip }) => skip),
      [1, 2, 3].map((page) => page * size).filter((skip) => skip < all.length),
    );
  });
}

csv("names the parts of a ratio, and has only its header without contributions", async () => {
  const text = await textOf([part(all.slice(2)), part([])], 10);
  assert.is(text, `${header}\r\n${line(4, "'+3+4", "4", "numerator")}\r\n`);
  assert.is(await textOf([part([])], 10), `${header}\r\n`);
});

csv("ends in a failure when a later page takes too long", async () => {
  const pieces = explanationCsv([pageOf({ skip: 0, size: 1 })], { skip: 0, size: 1 }, async () => ({
    outcome: "too_slow",
  }));
  const read = async () => {
    for await (const _ of pieces);
  };
  assert.match(await read().then(String, String), /took too long/);
});

csv.run();
