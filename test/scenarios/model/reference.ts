const day = 24 * 60 * 60_000;
const clickWindowMs = 7 * day;
const attributionWindowMs = 30 * day;
/** A revoked token and a former destination may be served for so long. */
export const effectiveWithinMs = 2_000;

export interface Link {
  readonly shortId: string;
  readonly id: number;
  readonly channel: string;
  /** Where it has led, the latest last, each with the time at which the change was answered. */
  readonly destinations: { readonly address: string; readonly since: number }[];
}

interface Click {
  readonly id: string;
  readonly channel: string;
  readonly at: number;
  /** Null: the click of a visitor, which only its id matches. */
  readonly gaid: string | null;
}

export interface AppEvent {
  readonly id: string;
  readonly category: "app_install" | "app_order_complete";
  readonly at: number;
  readonly device: number;
  readonly value: number;
  readonly clickId: string | null;
}

interface Token {
  readonly id: string;
  readonly secret: string;
  /** When its revocation was answered; null: it is valid. */
  revokedAt: number | null;
}

interface SpendUpload {
  readonly requestId: string;
  readonly rows: readonly { readonly date: string; readonly channel: string; readonly cost: number }[];
}

/** What a channel has in the report over everything. */
export interface Row {
  readonly clicks: number;
  readonly installs: number;
  readonly orders: number;
  readonly revenue: number;
  readonly cost: number;
}

/**
 * What one app has acknowledged, and what follows from it, without any of the application's code: every id counts once,
 * the first content of an id counts, the last upload of a key counts.
 */
export interface Reference {
  readonly links: Map<string, Link>;
  readonly clicks: Map<string, Click>;
  readonly events: Map<string, AppEvent>;
  readonly tokens: Token[];
  readonly uploads: SpendUpload[];
  /** Clicks without a response, by channel: each may count, or not. */
  readonly perhaps: Map<string, number>;
}

export function emptyReference(): Reference {
  return {
    ...{ links: new Map(), clicks: new Map(), events: new Map() },
    ...{ tokens: [], uploads: [], perhaps: new Map() },
  };
}

export function gaidOf(device: number): string {
  return `00000000-0000-4000-8000-${String(device).padStart(12, "0")}`;
}

/** The click that wins an install (contract/attribution.md#winner). */
export function winnerOf({ clicks }: Reference, install: AppEvent): Click | null {
  const inWindow = ({ at }: Click): boolean => at <= install.at && install.at - at <= clickWindowMs;
  const named = clicks.get(install.clickId ?? "");
  if (named !== undefined && inWindow(named)) return named;
  const ofDevice = [...clicks.values()].filter((one) => one.gaid === gaidOf(install.device) && inWindow(one));
  return latest(ofDevice);
}

/** The channel of an event: an order inherits the last winner of its device (contract/attribution.md#target-events). */
function channelOf(reference: Reference, event: AppEvent): string {
  if (event.category === "app_install") return winnerOf(reference, event)?.channel ?? "unattributed";
  const won = installsOf(reference).filter(
    (install) =>
      install.device === event.device &&
      install.at <= event.at &&
      event.at - install.at <= attributionWindowMs &&
      winnerOf(reference, install) !== null,
  );
  const install = latest(won);
  return (install && winnerOf(reference, install)?.channel) ?? "unattributed";
}

export function installsOf({ events }: Reference): readonly AppEvent[] {
  return [...events.values()].filter(({ category }) => category === "app_install");
}

/** The report by channel. */
function rowsOf(reference: Reference): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  const add = (channel: string, more: Partial<Row>): void => {
    const { clicks, installs, orders, revenue, cost } = rows.get(channel) ?? noRow;
    rows.set(channel, {
      clicks: clicks + (more.clicks ?? 0),
      installs: installs + (more.installs ?? 0),
      orders: orders + (more.orders ?? 0),
      revenue: revenue + (more.revenue ?? 0),
      cost: cost + (more.cost ?? 0),
    });
  };
  for (const { channel } of reference.clicks.values()) add(channel, { clicks: 1 });
  for (const event of reference.events.values()) {
    const isOrder = event.category === "app_order_complete";
    add(channelOf(reference, event), isOrder ? { orders: 1, revenue: event.value } : { installs: 1 });
  }
  const spend = new Map<string, SpendUpload["rows"][number]>();
  for (const { rows: uploaded } of reference.uploads) {
    for (const row of uploaded) spend.set(`${row.date} ${row.channel}`, row);
  }
  for (const { channel, cost } of spend.values()) add(channel, { cost });
  return rows;
}

const noRow: Row = { clicks: 0, installs: 0, orders: 0, revenue: 0, cost: 0 };

/** Describes each difference of a reported table; visits without a response may be counted or not. */
export function differences(reference: Reference, reported: ReadonlyMap<string, Row>): readonly string[] {
  const expected = rowsOf(reference);
  return [...new Set([...expected.keys(), ...reported.keys()])].flatMap((channel) => {
    const due = expected.get(channel) ?? noRow;
    const found = reported.get(channel) ?? noRow;
    const extra = found.clicks - due.clicks;
    const same =
      extra >= 0 &&
      extra <= (reference.perhaps.get(channel) ?? 0) &&
      (["installs", "orders", "revenue", "cost"] as const).every((field) => found[field] === due[field]);
    return same ? [] : [`${channel}: expected ${JSON.stringify(due)}, reported ${JSON.stringify(found)}`];
  });
}

function latest<Timed extends { readonly at: number }>(items: readonly Timed[]): Timed | null {
  return items.reduce<Timed | null>((last, one) => (last === null || one.at > last.at ? one : last), null);
}
