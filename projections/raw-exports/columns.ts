import type { ZoneOffset } from "../../domain/raw-exports/local-range.ts";
import { type EventProperty, isEventProperty, type PropertyKey } from "../../domain/raw-exports/properties.ts";
import { offsetText } from "../../domain/values/local-time.ts";
import { type Dimension, groupByColumns } from "../reports/facts/group-by-columns.ts";
import type { RawKind } from "../reports/masking/export-view.ts";
import type { Bind } from "../reports/query/bindings.ts";

/**
 * A table that a property is joined with. `touch`: the touchpoint that an app event is attributed to.
 */
export type RawDimension = Exclude<Dimension, "day"> | "touch";

/** SQL of the text of a property; null is an empty cell. */
export interface RawColumn {
  readonly reads: RawDimension | null;
  readonly text: string;
}

/**
 * The SQL of a property of an export (contract/exports.md#requesting), from the fact, `detail` and the joined table.
 * @param clock offsets of the app's time zone for all instants of an export
 */
export function rawColumn(key: PropertyKey, kind: RawKind, clock: readonly ZoneOffset[], bind: Bind): RawColumn {
  if (isEventProperty(key)) return eventColumns(clock, bind)[key][kind];
  const { reads, text } = groupByColumns[key][kind];
  if (reads === "day") throw new Error(`${key} is read from the calendar, which exports do not join`);
  return { reads, text };
}

type BothKinds = { readonly [kind in RawKind]: RawColumn };

function eventColumns(clock: readonly ZoneOffset[], bind: Bind): { readonly [key in EventProperty]: BothKinds } {
  const onFact = (text: string): RawColumn => ({ reads: null, text });
  const none = onFact("null");
  const both = (text: string): BothKinds => ({ touchpoints: onFact(text), appEvents: onFact(text) });
  const ofAppEvents = (text: string): BothKinds => ({ touchpoints: none, appEvents: onFact(text) });
  /** Of the touchpoint that an app event is attributed to. */
  const ofTouchpoint = (text: string): BothKinds => ({ touchpoints: none, appEvents: { reads: "touch", text } });
  return {
    event_datetime: both(localTimeText("fact.at", clock, bind)),
    event_timestamp: both("(extract(epoch from fact.at) * 1000)::bigint::text"),
    event_id: { touchpoints: onFact("fact.touchpoint_id::text"), appEvents: onFact("fact.event_id::text") },
    device_id: both("detail.device_id"),
    user_id: both("fact.device_key::text"),
    external_user_id: ofAppEvents("detail.external_user_id"),
    event_value: ofAppEvents("fact.value::text"),
    event_currency: ofAppEvents("fact.currency"),
    event_action: ofAppEvents("detail.action"),
    event_label: ofAppEvents("detail.label"),
    event_properties: ofAppEvents("detail.properties"),
    match_type: ofTouchpoint("case when touch.touchpoint_id is not null then fact.matched_by end"),
    attributed_touchpoint_datetime: ofTouchpoint(localTimeText("touch.at", clock, bind)),
    // Only ids of clicks are public.
    click_id: {
      touchpoints: onFact("case fact.kind when 'click' then fact.touchpoint_id::text end"),
      appEvents: { reads: "touch", text: "case touch.kind when 'click' then touch.touchpoint_id::text end" },
    },
    ip: both("detail.ip"),
    user_agent: both("detail.user_agent"),
  };
}

/** `2026-03-01T18:00:00.000+09:00`, with the time zone's offsets of this process, as those of Postgres may differ. */
function localTimeText(instant: string, [first, ...later]: readonly ZoneOffset[], bind: Bind): string {
  const written = (offset: number): string =>
    `to_char(${instant} at time zone 'UTC' + ${bind(`${offset} ms`)}::interval, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
      || ${bind(offsetText(offset))}::text`;
  if (first === undefined) throw new RangeError("A time zone has an offset at any time");
  const cases = later
    .map(({ from: since, offset }) => ({ since: new Date(since).toISOString(), offset }))
    .map(({ since, offset }) => `when ${instant} >= ${bind(since)}::timestamptz then ${written(offset)}`)
    .reverse();
  return cases.length === 0 ? written(first.offset) : `case ${cases.join(" ")} else ${written(first.offset)} end`;
}
