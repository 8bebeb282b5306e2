import type { Reactor } from "../../commands/reactors/reactor.ts";
import { minuteMs } from "../../domain/values/instants.ts";

/** A day of an app whose aggregates are missing or out of date. */
export interface DayToAggregate {
  readonly app_id: number;
  /** `YYYY-MM-DD`. */
  readonly local_date: string;
  /** Changes whenever its facts change. */
  readonly changes: bigint;
}

interface AggregationWork {
  readonly appId: number;
  readonly day: DayToAggregate;
}

export interface DailyAggregatesDeps {
  /** The days whose aggregates are missing or out of date, the oldest `max`. */
  dueDays(max: number): Promise<readonly DayToAggregate[]>;
  aggregate(day: DayToAggregate): Promise<void>;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
}

/**
 * Aggregates the facts of days that have not changed for a minute. Runs where reports run, which read the aggregates. One
 * read of the due days serves all that were at rest, for a minute: it takes seconds with 5,000 apps.
 */
export function dailyAggregates({ dueDays, aggregate, elapsed }: DailyAggregatesDeps): Reactor<AggregationWork, null> {
  let unchanged = new Map<string, { readonly changes: bigint; readonly since: number }>();
  let atRest: readonly AggregationWork[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    name: "daily_aggregates",
    role: "reports",
    list: "facts",
    adds: () => false,
    open: async (max) => {
      if (atRest.length > 0 && elapsed() - readAt < minuteMs) return atRest;
      const days = await dueDays(max);
      const known = unchanged;
      unchanged = new Map(
        days.map((day) => {
          const before = known.get(nameOf(day));
          const isUnchanged = before !== undefined && before.changes === day.changes;
          return [nameOf(day), isUnchanged ? before : { changes: day.changes, since: elapsed() }];
        }),
      );
      const isAtRest = (day: DayToAggregate): boolean => {
        const since = unchanged.get(nameOf(day))?.since ?? Number.POSITIVE_INFINITY;
        return elapsed() - since >= minuteMs;
      };
      atRest = days.filter(isAtRest).map((day) => ({ appId: day.app_id, day }));
      readAt = elapsed();
      return atRest;
    },
    keyOf: ({ day }) => nameOf(day),
    act: async ({ day }) => {
      await aggregate(day);
      atRest = atRest.filter((other) => other.day !== day);
      return null;
    },
    record: async () => false,
    retry: { initialBackoffMs: minuteMs, maxBackoffMs: minuteMs, giveUp: null },
    // One at a time, with rests, gives other users of the database precedence. At most `maxOpen` days are watched for changes.
    limits: { maxConcurrent: 1, maxOpen: 1_000, pollMs: minuteMs, restFactor: 4 },
  };
}

function nameOf({ app_id, local_date }: DayToAggregate): string {
  return `${app_id} ${local_date}`;
}
