import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { inCurrency } from "../actuals/reference-measures.ts";
import type { AppEvent, Facts } from "../facts.ts";
import { isInForce, isWithheld } from "../reference-rules.ts";
import { noUploads, type Spend } from "../uploads.ts";

type Requested = ReportAt<"revenue">;
/** A number as text, with a plus sign when it is incomplete; null: nothing to show. */
export type Shown = string | null;

export interface Return {
  readonly interval: number;
  readonly of: AppEvent;
}

/** A device in a group. */
export interface Member {
  readonly device: number;
  /** Null: every start of its was withheld. */
  readonly start: AppEvent | null;
  /** A start before that one, or in place of it, that was withheld. */
  readonly maskedStart: AppEvent | null;
  readonly returns: readonly Return[];
}

/** What a cell is made of. */
export interface Part {
  readonly members: readonly Member[];
  readonly maskedStarts: number;
  readonly spend: readonly Spend[];
  readonly isWithin: (interval: number) => boolean;
}

/** Users, revenue and cost. */
export function totalsOf(part: Part, facts: Facts, requested: Requested) {
  return {
    users: shownCount(part.members.filter(({ start }) => start !== null).length, part.maskedStarts > 0),
    revenue: revenueOf(part, facts, requested, () => true).shown,
    cost: costOf(part, facts, requested).shown,
  };
}

/** The value of the metric. */
export function shownOf(part: Part, facts: Facts, requested: Requested): Shown {
  const { metric } = requested.query;
  const returns = part.members
    .flatMap(({ device, returns }) => returns.map((it) => ({ device, ...it })))
    .filter(({ interval }) => part.isWithin(interval));
  const seen = returns.filter(({ of }) => !isWithheld(of, facts.channelFlags ?? [], requested.position));
  const isMasked = part.maskedStarts > 0 || seen.length < returns.length;
  const revenue = revenueOf(part, facts, requested, part.isWithin);
  const isPaid = (of: AppEvent): boolean => (convertedOf(of, facts, requested) ?? 0) > 0;
  switch (metric) {
    case "app_revenue":
      return revenue.shown;
    case "app_event_count":
      return shownCount(seen.length, isMasked);
    case "app_user_count":
      return shownCount(new Set(seen.map(({ device }) => device)).size, isMasked);
    case "app_arpu":
      return ratio(revenue, part.members.filter(({ start }) => start !== null).length, revenue.isMasked);
    case "app_arppu":
      return ratio(
        revenue,
        new Set(seen.filter(({ of }) => isPaid(of)).map(({ device }) => device)).size,
        revenue.isMasked,
      );
    case "app_roas": {
      const cost = costOf(part, facts, requested);
      return ratio(
        { cents: revenue.cents === null ? null : revenue.cents * 100 },
        cost.cents === null ? null : cost.cents / 100,
        revenue.isMasked || cost.isMasked,
      );
    }
  }
}

interface Money {
  /** Null: nothing to show. */
  readonly cents: number | null;
  readonly isMasked: boolean;
  readonly shown: Shown;
}

function revenueOf(
  { members, maskedStarts }: Part,
  facts: Facts,
  requested: Requested,
  isWithin: (interval: number) => boolean,
): Money {
  const priced = members
    .flatMap(({ returns }) => returns)
    .filter(({ interval, of }) => isWithin(interval) && of.cents !== null)
    .map(({ of }) =>
      isWithheld(of, facts.channelFlags ?? [], requested.position) ? null : convertedOf(of, facts, requested),
    );
  return money(priced, maskedStarts > 0, 0);
}

function costOf({ spend }: Part, facts: Facts, requested: Requested): Money {
  return money(
    spend.map((row) => convertedOf(row, facts, requested)),
    false,
    null,
  );
}

/** A sum of amounts, null for those that are excluded. */
function money(amounts: readonly (number | null)[], hasMaskedStarts: boolean, ofNone: number | null): Money {
  const there = amounts.filter((cents) => cents !== null);
  const isMasked = hasMaskedStarts || there.length < amounts.length;
  const sum = there.reduce((all, cents) => all + cents, 0);
  const cents = there.length > 0 ? sum : isMasked ? null : ofNone;
  return { cents, isMasked, shown: marked(cents === null ? null : String(cents / 100), isMasked) };
}

function ratio({ cents }: Pick<Money, "cents">, per: number | null, isMasked: boolean): Shown {
  return marked(cents === null || !per ? null : comparable(String(cents / 100 / per)), isMasked);
}

function shownCount(count: number, isMasked: boolean): Shown {
  return marked(isMasked && count === 0 ? null : String(count), isMasked);
}

function marked(value: string | null, isMasked: boolean): Shown {
  return isMasked ? `${value}+` : value;
}

/** A quotient with as many digits as are compared. */
export function comparable(value: string): string {
  return String(Number(Number(value).toPrecision(12)));
}

function convertedOf(amount: AppEvent | Spend, facts: Facts, { currency, position }: Requested): number | null {
  const { rates } = facts.uploads ?? noUploads;
  const inForce = rates.filter((rate) => isInForce(rate, position));
  return inCurrency(amount, currency, inForce);
}
