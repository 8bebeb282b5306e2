// time limit: 300 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, daysBetween, type LocalDate, localDate } from "../../domain/values/local-time.ts";
import { type RunningApplication, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { testPostgres } from "../support/stores.ts";
import { type CohortLine, expectedLines, type RequestedCohorts } from "./cdnow-cohorts.ts";
import {
  type Customer,
  campaigns,
  file,
  isThere,
  replay,
  rowsOfFile,
  shiftedCustomers,
  timezone,
} from "./cdnow-history.ts";
import {
  type Requested,
  type RequestedRevenue,
  type RetentionLines,
  reportedActuals,
  reportedRetention,
  reportedRevenue,
  type Sums,
} from "./cdnow-reports.ts";

const test = suite("Real input: the CDNOW purchase history");

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let application: RunningApplication;
let customers: readonly Customer[];
/** As of the end of the replay: a midnight that passes meanwhile changes nothing. */
let requested: Requested;
let today: LocalDate;

if (isThere) {
  test.before(async () => {
    const now = Date.now();
    customers = shiftedCustomers(now);
    directory = await temporaryDirectory();
    application = await runApplication(directory.path, { DATABASE_URL: await testPostgres() });
    const owner = await replay(application, customers);
    requested = { owner, asOf: new Date().toISOString(), from: addDays(localDate(timezone, now), -364) };
    today = localDate(timezone, Date.parse(requested.asOf));
  });
  test.after(async () => {
    await application.stop();
    await directory.remove();
  });

  test("is the known file", () => {
    const rows = rowsOfFile();
    const cents = rows.reduce((sum, row) => sum + row.cents, 0);
    const installs = new Set(rows.map(({ customer }) => customer)).size;
    assert.equal({ installs, orders: rows.length, cents }, { installs: 23_544, orders: 69_659, cents: 250_031_563 });
    assert.ok(customers.length > 1_700);
  });
  test("actuals equal the file's sums by month and by campaign, to the cent", actualsEqual);
  test("revenue by cohort equals the file's, by day and by month, cumulative and on its day", revenueEquals);
  test("revenue of each campaign's cohorts equals the file's", revenueByCampaignEquals);
  test("retention by cohort equals the file's, by day and by month", retentionEquals);
  test("retention of each campaign's cohorts equals the file's", retentionByCampaignEquals);
} else {
  test.skip(`the reports equal the file's own sums (skipped: ${file} is absent)`, () => {});
}

async function actualsEqual(): Promise<void> {
  const months = sumsBy((date) => date.slice(0, 7));
  const reported = await Promise.all(
    Object.keys(months).map((month) => {
      const nextMonth = addDays(`${month}-28`, 4).slice(0, 7);
      const end = addDays(`${nextMonth}-01`, -1);
      return reportedActuals(requested, { from: `${month}-01`, to: end < today ? end : today, groupBys: [] }, month);
    }),
  );
  assert.equal(Object.assign({}, ...reported), months);

  const quarter = { from: requested.from, to: addDays(requested.from, 91) };
  const ofQuarter = sumsBy((date, { campaign, installed }) => {
    if (date > quarter.to) return null;
    // An order carries the install's campaign for 30 days.
    return daysBetween(installed, date) < 30 ? campaign : "";
  });
  assert.equal(await reportedActuals(requested, { ...quarter, groupBys: ["campaign"] }, ""), ofQuarter);
}

/** Sums by a key of each purchase, the install with the first; a purchase whose key is null is left out. */
function sumsBy(keyOf: (date: LocalDate, customer: Customer) => string | null): Record<string, Sums> {
  const sums: Record<string, Sums> = {};
  for (const customer of customers) {
    for (const [number, { date, cents: paid }] of customer.purchases.entries()) {
      const key = keyOf(date, customer);
      if (key === null) continue;
      const { installs, orders, cents } = sums[key] ?? { installs: 0, orders: 0, cents: 0 };
      sums[key] = { installs: installs + (number === 0 ? 1 : 0), orders: orders + 1, cents: cents + paid };
    }
  }
  return sums;
}

const shown = {
  app_revenue: ({ cents }) => cents / 100,
  app_arpu: ({ cents, customers: all }) => cents / (100 * all),
  app_user_count: ({ payers }) => payers,
} as const satisfies { readonly [metric: string]: RequestedCohorts["shown"] };

async function revenueEquals(): Promise<void> {
  const questions = (["day", "month"] as const).flatMap((granularity) =>
    (
      [
        ["app_revenue", "cumulative"],
        ["app_revenue", "on-day"],
        ["app_arpu", "cumulative"],
        ["app_user_count", "cumulative"],
        ["app_user_count", "on-day"],
      ] as const
    ).map(([metric, aggregationType]) => ({ metric, aggregationType, granularity })),
  );
  // The expected lines of one report are computed while Postgres computes the next ones.
  await Promise.all(
    questions.map(async (question) => {
      const groups = await reportedRevenue(requested, question, []);
      assert.equal([...groups.keys()], [""]);
      sameLines(groups.get(""), expectedRevenue(customers, question));
    }),
  );
}

async function revenueByCampaignEquals(): Promise<void> {
  for (const question of [
    { metric: "app_revenue", aggregationType: "cumulative", granularity: "day" },
    { metric: "app_arpu", aggregationType: "cumulative", granularity: "month" },
  ] as const) {
    const groups = await reportedRevenue(requested, question, ["campaign"]);
    assert.equal([...groups.keys()].sort(), ["", ...campaigns]);
    for (const [campaign, lines] of groups) sameLines(lines, expectedRevenue(of(campaign), question));
  }
}

function of(campaign: string): readonly Customer[] {
  return customers.filter((customer) => customer.campaign === campaign);
}

function expectedRevenue(some: readonly Customer[], { metric, aggregationType, granularity }: RequestedRevenue) {
  const isCumulative = aggregationType === "cumulative";
  return expectedLines(some, { unit: granularity, from: requested.from, today, isCumulative, shown: shown[metric] });
}

async function retentionEquals(): Promise<void> {
  for (const granularity of ["day", "month"] as const) {
    const groups = await reportedRetention(requested, granularity, []);
    assert.equal([...groups.keys()], [""]);
    sameRetention(groups.get(""), customers, granularity);
  }
}

async function retentionByCampaignEquals(): Promise<void> {
  const groups = await reportedRetention(requested, "day", ["campaign"]);
  assert.equal([...groups.keys()].sort(), ["", ...campaigns]);
  for (const [campaign, lines] of groups) sameRetention(lines, of(campaign), "day");
}

function sameRetention(lines: RetentionLines | undefined, some: readonly Customer[], unit: "day" | "month"): void {
  const common = { unit, from: requested.from, today, isCumulative: false };
  const values = expectedLines(some, { ...common, shown: ({ payers }) => payers });
  const rates = expectedLines(some, { ...common, shown: ({ payers, customers: all }) => payers / all });
  sameLines(lines?.values, values.map(withoutRevenue));
  sameLines(lines?.rates, rates.map(withoutRevenue));
}

const withoutRevenue = (line: CohortLine): CohortLine => ({ ...line, revenue: null });

/** Compared line by line: a difference is one line. */
function sameLines(reported: readonly CohortLine[] = [], expected: readonly CohortLine[]): void {
  assert.equal(
    reported.map(({ name }) => name),
    expected.map(({ name }) => name),
  );
  for (const [number, line] of expected.entries()) assert.is(JSON.stringify(reported[number]), JSON.stringify(line));
}

test.run();
