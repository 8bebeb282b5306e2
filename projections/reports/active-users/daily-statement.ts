import type { LocalDate } from "../../../domain/values/local-time.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { columnOf, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { deviceViews } from "../masking/aggregate-view.ts";
import { hasMaskedFacts } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/masked-facts.ts";
import { contextTables } from "../money/amounts.ts";
import { bindings, groupOrder, type Statement } from "../query/statement.ts";
import { dateNumber, intervalNumbers } from "./interval-number.ts";
import type { FoundGroup } from "./result-groups.ts";
import type { UnboundActiveUsers } from "./statement.ts";
import { userMetricSql } from "./user-metrics.ts";

/**
 * A device's intervals are bits in words of 64 bits; a count of 4 bytes is the number of devices with the same bits.
 */
const wordBits = 64;
const countBytes = 4;

/** A group as the statement returns it. */
export interface FoundDays {
  readonly groupBys: readonly (string | null)[];
  /** For devices that are active in the same intervals: their number, and a word for every 64 intervals. */
  readonly devices: Buffer | null;
  /** Why some of it was masked, as bits. */
  readonly maskingReasons: number;
}

/**
 * The devices of each group of a report whose intervals are whole days, at most 92 of them: `groupBys text[]`, `devices
 * bytea`, `maskingReasons integer`; the first groups in their order, one more than a result holds. A row for each
 * device, and bits for its intervals: one for each device and interval would not fit in memory (5 million events of
 * 100,000 devices on 92 days: 3 times as fast).
 * @param aggregatedDays days with aggregated devices
 */
export function activeDaysStatement(unbound: UnboundActiveUsers, aggregatedDays: readonly LocalDate[]): Statement {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { query } = unbound.report;
  const { metrics, unmasked, maskingReasons } = userMetricSql("active", context);
  const columns = query.groupBys.map(columnOf);
  const names = groupNames(columns);
  const texts = groupTexts(columns, "appEvents");
  const order = groupOrder(names);
  const words = wordsOf(intervalNumbers(unbound.report));
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
      from device
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
  const merged = mergeWithheldGroups("devices_by_days", query.groupBys, names, isActive, [
    ...bits,
    "devices",
    "masking_reasons",
  ]);
  const sentWords = bits.map((bit) => `int8send(${bit})`).join(" || ");
  const text = `
    with ${contextTables(context).join(", ")},
    device as (
      select ${[...texts, ...ofDevice, `${maskingReasons} as masking_reasons`].join(", ")}
      ${from(others)}
      ${groupedBy([...names, "fact.device_key"])}
    ),
    devices_by_days as (
      ${devicesByDays.join(`
      union all
      `)}
    ),
    of_group as (
      ${hasMaskedFacts("appEvents", context) ? merged : "select * from devices_by_days"}
    )
    select array[${names.join(", ")}]::text[] as "groupBys",
      coalesce(bit_or(masking_reasons), 0) as "maskingReasons",
      string_agg(int4send(devices::integer) || ${sentWords}, '') as "devices"
    from of_group
    ${groupedBy(names)}
    ${order}
    limit ${bind(unbound.maxGroups + 1)}::integer`;
  return { text, values };
}

/** A group as other statements return it. */
export function activeOnDays(
  { groupBys, devices, maskingReasons }: FoundDays,
  report: UnboundActiveUsers["report"],
): FoundGroup {
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
  const activityByInterval = counts.flatMap((count, number) => (count > 0 ? [`${number} ${count}`] : [])).join(",");
  return { groupBys, activityByInterval, maskingReasons, isAnyUnconverted: false };
}

function intervalCount(report: UnboundActiveUsers["report"]): number {
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
