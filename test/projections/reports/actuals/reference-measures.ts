import type { AppEvent } from "../facts.ts";
import type { Rate } from "../uploads.ts";
import type { Fact } from "./reference-values.ts";

/** Digits that values are compared with: quotients have no end. */
const digits = 12;
/** Uploaded metrics that the reference knows. */
export const uploadedNames: readonly string[] = ["Store visits", "Margin"];

interface Measured {
  readonly value: number | null;
  readonly counted: boolean;
  readonly masked?: boolean;
}

/** A metric of the unmasked facts of one cell, marked when facts are excluded. `rates`: those in force. */
export function measure(
  metric: string,
  cell: readonly Fact[],
  isWithheld: (fact: Fact) => boolean,
  currency: string,
  rates: readonly Rate[],
): Measured {
  const ratioOf = ratios[metric];
  if (ratioOf !== undefined) {
    const [of, per, times] = ratioOf;
    const part = (key: string): Measured => measure(key, cell, isWithheld, currency, rates);
    const upper = part(of);
    const isMissing = of === "cost_channel" && !upper.counted;
    return ratio(isMissing ? { ...upper, value: null } : upper, part(per), times);
  }
  const over = (facts: readonly Fact[]): Measured => measureAll(metric, facts, currency, rates);
  const unmasked = over(cell.filter((fact) => !isWithheld(fact)));
  if (!over(cell.filter(isWithheld)).counted) return unmasked;
  return { value: unmasked.counted ? unmasked.value : null, counted: true, masked: true };
}

const ratios: { readonly [metric: string]: readonly [string, string, number] } = {
  ctr: ["clicks", "impressions", 1],
  cpi: ["cost_channel", "app_installs", 1],
  cpc: ["cost_channel", "clicks_channel", 1],
  cpm: ["cost_channel", "impressions_channel", 1000],
  roas: ["app_revenue", "cost_channel", 100],
};

function measureAll(metric: string, cell: readonly Fact[], currency: string, rates: readonly Rate[]): Measured {
  const touchpoints = (...kinds: readonly string[]): number =>
    cell.filter((fact) => fact.is === "touchpoint" && kinds.includes(fact.of.kind)).length;
  const events = cell.flatMap((fact) => (fact.is === "event" ? [fact.of] : []));
  const spend = cell
    .flatMap((fact) => (fact.is === "spend" ? [fact.of] : []))
    .filter(({ impressions, clicks, cents }) => impressions + clicks + cents > 0);
  switch (metric) {
    case "clicks":
      return count(touchpoints("click"));
    case "impressions":
      return count(touchpoints("impression"));
    case "touchpoints_impression_click":
      return count(touchpoints("click", "impression"));
    case "app_event_value":
      return money(events, currency, rates);
    case "app_revenue": {
      const sold = events.filter(({ category }) => revenue.includes(category));
      const signed = sold.map((event) => ({
        ...event,
        cents: event.cents === null ? null : event.cents * signOf(event),
      }));
      return money(signed, currency, rates);
    }
    case "impressions_channel":
      return count(spend.reduce((sum, { impressions }) => sum + impressions, 0));
    case "clicks_channel":
      return count(spend.reduce((sum, { clicks }) => sum + clicks, 0));
    case "cost_channel":
      return money(spend, currency, rates);
  }
  if (uploadedNames.includes(metric)) {
    const rows = cell.flatMap((fact) =>
      fact.is === "uploaded" && fact.of.event_category === metric && fact.of.cents !== 0 ? [fact.of] : [],
    );
    return money(rows, currency, rates);
  }
  const counted = metric.replace("custom_users:", "custom:").replace(/_users$/, "");
  const selected = events.filter((event) => {
    switch (counted) {
      case "app_events":
        return true;
      case "app_attributed_events":
        return event.label !== null;
      case "app_installs":
        return event.category === "app_install";
      case "app_first_installs":
        return event.category === "app_install" && event.isFirstOfDevice;
      case "app_re_installs":
        return event.category === "app_install" && !event.isFirstOfDevice;
      case "app_attributed_installs":
        return event.category === "app_install" && event.label !== null;
      case "app_unattributed_installs":
        return event.category === "app_install" && event.label === null;
      case "app_first_order_complete":
        return event.category === "app_order_complete" && event.isFirstOfDevice;
      default:
        return event.category === counted;
    }
  });
  return count(counted === metric ? selected.length : new Set(selected.map(({ device }) => device)).size);
}

function count(value: number): Measured {
  return { value, counted: value > 0 };
}

function ratio(of: Measured, per: Measured, times: number): Measured {
  const value = of.value === null || !per.value ? null : (of.value * times) / per.value;
  return {
    value: value === null ? null : rounded(value),
    counted: of.counted || per.counted,
    masked: of.masked === true || per.masked === true,
  };
}

/** A value with as many digits as are compared. */
export function rounded(value: number): number {
  return Number(value.toPrecision(digits));
}

interface Amount {
  readonly date: string;
  readonly cents: number | null;
  readonly currency: string | null;
}

function money(amounts: readonly Amount[], currency: string, rates: readonly Rate[]): Measured {
  const known = amounts.filter(({ cents }) => cents !== null);
  const converted = known.map((amount) => inCurrency(amount, currency, rates)).filter((cents) => cents !== null);
  const masked = converted.length < known.length;
  const cents = converted.reduce((sum, amount) => sum + amount, 0);
  return { value: masked && converted.length === 0 ? null : cents / 100, counted: known.length > 0, masked };
}

export function inCurrency(amount: Amount, currency: string, rates: readonly Rate[]): number | null {
  const cents = amount.cents ?? 0;
  if (cents === 0 || amount.currency === null || amount.currency === currency) return cents;
  const earlier = rates.filter(({ date }) => date <= amount.date);
  const pairs = ["KRW", "USD", "EUR"].flatMap((base) => {
    const [own, app] = [amount.currency, currency].map((code) =>
      earlier
        .filter((rate) => rate.base === base && rate.currency === code)
        .reduce<Rate | null>((latest, rate) => (latest === null || rate.date > latest.date ? rate : latest), null),
    );
    return own && app ? [{ own, app, older: [own.date, app.date].sort()[0] ?? "" }] : [];
  });
  const pair = pairs.find(({ older }) => pairs.every((other) => other.older <= older));
  return pair === undefined ? null : (cents * Number(pair.app.rate)) / Number(pair.own.rate);
}

const revenue = ["app_order_complete", "app_subscribe", "app_order_cancel"];

function signOf({ category }: AppEvent): 1 | -1 {
  return category === "app_order_cancel" ? -1 : 1;
}
