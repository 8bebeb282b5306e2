import type { LocalDate } from "../../../domain/values/local-time.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { columnOf, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { deviceViews } from "../masking/aggregate-view.ts";
import { hasMaskedFacts } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/fully-masked-rows.ts";
import type { ReportAt } from "../query/query-context.ts";
import { dateNumber, intervalNumbers } from "./interval-number.ts";
import { type ActiveUsersContext, userMetricSql } from "./user-counts.ts";

/**
 * A device's intervals are bits in words of 64 bits; a count of 4 bytes is the number of devices with the same bits.
 */
const wordBits = 64;
const countBytes = 4;

/**
 * Tables for the `with` of a statement over a report whose intervals are whole days, at most 92 of them; the last one,
 * `active_group`, has a row for each group: `group_bys text[]`; `activity bytea`, for devices that are active in the
 * same intervals their number, and a word for every 64 intervals; `active`, their counts summed over the intervals;
 * `masking_reasons integer`. A row for each device, and bits for its intervals: one for each device and interval would
 * not fit in memory (5 million events of 100,000 devices on 92 days: 3 times as fast).
 * @param aggregatedDays days with aggregated devices
 */
export function activeByDay(context: ActiveUsersContext, aggregatedDays: readonly LocalDate[]): readonly string[] {
  const { report, bind } = context;
  const { query } = report;
  const { metrics, unmasked, maskingReasons } = userMetricSql("active", context);
  const columns = query.groupBys.map(columnOf);
  const names = groupNames(columns);
  const texts = groupTexts(columns, "appEvents");
  const words = wordsOf(intervalNumbers(report));
  const bits = words.map((_, index) => `w${index}`);
  const ofRow = words.map((word) => `(${bind(word)}::bigint[])[${dateNumber(query.from, bind)}]`);
  const { alone, others } = deviceViews({
    context,
    metrics,
    read: columnsRead("appEvents", context, columns, ["local_date"]),
    aggregatedDays,
    isOfAny: true,
    areAddedUp: query.granularity === "day",
  });
  const from = (view: string): string => fromClause("appEvents", context, metrics, columns, { view, conditions: [] });
  const ofDevice = ofRow.map((bit, index) => `coalesce(bit_or(${bit}) filter (where ${unmasked}), 0) as w${index}`);
  const devicesAlone = `coalesce(sum(cardinality(fact.device_keys)) filter (where ${unmasked}), 0)`;
  const devicesByDays = [
    `select ${[...names, ...bits, "count(*) as devices", "bit_or(masking_reasons) as masking_reasons"].join(", ")}
      from active_device
      ${groupedBy([...names, ...bits])}`,
    ...(alone === null
      ? []
      : [
          `select ${[...texts, ...ofRow, devicesAlone, maskingReasons].join(", ")}
      ${from(alone)}
      ${groupedBy([...names, "fact.local_date"])}`,
        ]),
  ];
  const isActive = `devices > 0 and (${bits.map((bit) => `${bit} <> 0`).join(" or ")})`;
  const merged = mergeWithheldGroups("active_days", query.groupBys, names, isActive, [
    ...bits,
    "devices",
    "masking_reasons",
  ]);
  const sentWords = bits.map((bit) => `int8send(${bit})`).join(" || ");
  const activeDays = bits.map((bit) => `bit_count(${bit}::bit(${wordBits}))`).join(" + ");
  return [
    `active_device as (
      select ${[...texts, ...ofDevice, `${maskingReasons} as masking_reasons`].join(", ")}
      ${from(others)}
      ${groupedBy([...names, "fact.device_key"])}
    )`,
    `active_days as (
      ${devicesByDays.join(`
      union all
      `)}
    )`,
    `active_days_of_group as (
      ${hasMaskedFacts("appEvents", context) ? merged : "select * from active_days"}
    )`,
    `active_group as (
      select array[${names.join(", ")}]::text[] as group_bys,
        string_agg(int4send(devices::integer) || ${sentWords}, '') as activity,
        sum(devices * (${activeDays})) as active,
        bit_or(masking_reasons) as masking_reasons
      from active_days_of_group
      ${groupedBy(names)}
    )`,
  ];
}

/** The number of each interval with devices, and their count, over an `activity` of {@link activeByDay}. */
export function countsByDay(
  devices: Buffer | null,
  report: ReportAt<"active_users">,
): readonly (readonly [number: number, count: number])[] {
  const words = Math.ceil(intervalCount(report) / wordBits);
  const counts = Array.from({ length: words * wordBits }, () => 0);
  const wordBytes = wordBits / 8;
  const length = countBytes + words * wordBytes;
  for (let at = 0; devices !== null && at < devices.length; at += length) {
    const deviceCount = devices.readInt32BE(at);
    for (let byte = 0; byte < words * wordBytes; byte += 1) {
      // The most significant byte of a word comes first.
      const lowest = (Math.floor(byte / wordBytes) * wordBytes + wordBytes - 1 - (byte % wordBytes)) * 8;
      for (let bits = devices[at + countBytes + byte] ?? 0, bit = lowest; bits > 0; bits >>= 1, bit += 1) {
        if (bits & 1) counts[bit] = (counts[bit] ?? 0) + deviceCount;
      }
    }
  }
  return [...counts.entries()].filter(([, count]) => count > 0);
}

function intervalCount(report: ReportAt<"active_users">): number {
  return (intervalNumbers(report).at(-1) ?? 0) + 1;
}

/** The bit of the interval of every date of a report, in a word each for intervals 0 to 63 and 64 to 127. */
function wordsOf(numbers: readonly number[]): readonly (readonly string[])[] {
  const words = Math.ceil(((numbers.at(-1) ?? 0) + 1) / wordBits);
  return Array.from({ length: words }, (_, word) =>
    numbers.map((number) => {
      const bit = number - word * wordBits;
      return BigInt.asIntN(wordBits, bit >= 0 && bit < wordBits ? 1n << BigInt(bit) : 0n).toString();
    }),
  );
}
