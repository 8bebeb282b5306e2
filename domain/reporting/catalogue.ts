import { revenueCategories } from "./fact-words.ts";
import type { EventSelection, Metric, SimpleMetric } from "./metric.ts";

/** A metric with a name of its own, as the metadata endpoint tells it. */
export interface CatalogueMetric {
  readonly name: string;
  readonly description: string;
  readonly metric: Metric;
}

type Rows = { readonly [key: string]: CatalogueMetric };

const row = (name: string, description: string, metric: Metric): CatalogueMetric => ({ name, description, metric });
const ratio = (of: SimpleMetric, per: SimpleMetric, times: number): Metric => ({ kind: "ratio", of, per, times });

const impressions = { kind: "touchpoints", of: ["impression"] } as const;
const clicks = { kind: "touchpoints", of: ["click"] } as const;
const installs = { kind: "events", of: { categories: ["app_install"] } } as const;
const revenue = {
  kind: "money",
  adds: { categories: revenueCategories.adds },
  subtracts: revenueCategories.subtracts,
} as const;
const uploadedImpressions = { kind: "spend", of: "impressions" } as const;
const uploadedClicks = { kind: "spend", of: "clicks" } as const;
const cost = { kind: "cost" } as const;

const touchpoints: Rows = {
  impressions: row("Impressions", "Human impressions", impressions),
  clicks: row("Clicks", "Human clicks", clicks),
  touchpoints_impression_click: row("Impressions and clicks", "Human impressions and clicks", {
    kind: "touchpoints",
    of: ["impression", "click"],
  }),
  ctr: row("CTR", "Clicks per impression: 0.01 is one click in a hundred", ratio(clicks, impressions, 1)),
};

/** Counts of app events: each also as distinct devices, under `<key>_users`. */
function counted(events: { readonly [key: string]: readonly [string, string, EventSelection] }): Rows {
  return Object.fromEntries(
    Object.entries(events).flatMap(([key, [name, what, of]]) => [
      [key, row(name, `Number of ${what}`, { kind: "events", of })],
      [`${key}_users`, row(`${name}: devices`, `Number of distinct devices with ${what}`, { kind: "devices", of })],
    ]),
  );
}

const of = (category: string, more: EventSelection = {}): EventSelection => ({ categories: [category], ...more });

const appEvents = {
  ...counted({
    app_events: ["App events", "app events of every category", {}],
    app_attributed_events: ["Attributed app events", "app events attributed to a touchpoint", { attributed: true }],
    app_opens: ["Opens", "opens of the app", of("app_open")],
    app_sign_up: ["Sign-ups", "sign-ups", of("app_sign_up")],
    app_sign_in: ["Sign-ins", "sign-ins", of("app_sign_in")],
    app_sign_out: ["Sign-outs", "sign-outs", of("app_sign_out")],
    app_product_view: ["Product views", "views of a product", of("app_product_view")],
    app_add_to_cart: ["Additions to the cart", "additions to the cart", of("app_add_to_cart")],
    app_ad_impression: ["In-app ad impressions", "impressions of ads in the app", of("app_ad_impression")],
    app_ad_click: ["In-app ad clicks", "clicks on ads in the app", of("app_ad_click")],
  }),
  app_event_value: row("Value of app events", "Values of all app events, in the app's currency", {
    kind: "money",
    adds: {},
    subtracts: [],
  }),
};

const installEvents = counted({
  app_installs: ["Installs", "installs", of("app_install")],
  app_first_installs: ["First installs", "first installs of a device", of("app_install", { first: true })],
  app_re_installs: ["Re-installs", "installs of a device that had one before", of("app_install", { first: false })],
  app_attributed_installs: [
    "Attributed installs",
    "installs attributed to a touchpoint",
    of("app_install", { attributed: true }),
  ],
  app_unattributed_installs: [
    "Unattributed installs",
    "installs attributed to no touchpoint",
    of("app_install", { attributed: false }),
  ],
  app_uninstall: ["Uninstalls", "uninstalls", of("app_uninstall")],
});

const deeplinks = counted({
  app_deeplink_opens: ["Deeplink opens", "opens of the app by a deeplink", of("app_deeplink_open")],
  app_deeplink_pageviews: ["Deeplink pageviews", "views of a page by a deeplink", of("app_deeplink_pageview")],
});

const orders = {
  ...counted({
    app_order_complete: ["Orders", "completed orders", of("app_order_complete")],
    app_first_order_complete: ["First orders", "first orders of a device", of("app_order_complete", { first: true })],
    app_order_cancel: ["Cancelled orders", "cancelled orders", of("app_order_cancel")],
    app_subscribe: ["Subscriptions", "subscriptions", of("app_subscribe")],
  }),
  app_revenue: row(
    "Revenue",
    "Values of completed orders and subscriptions minus those of cancelled orders, in the app's currency",
    revenue,
  ),
};

const selfServe: Rows = {
  impressions_channel: row("Uploaded impressions", "Impressions of uploaded ad spend", uploadedImpressions),
  clicks_channel: row("Uploaded clicks", "Clicks of uploaded ad spend", uploadedClicks),
  cost_channel: row("Cost", "Cost of uploaded ad spend, in the app's currency", cost),
  cpi: row("CPI", "Cost per install, in the app's currency", ratio(cost, installs, 1)),
  cpc: row("CPC", "Cost per uploaded click, in the app's currency", ratio(cost, uploadedClicks, 1)),
  cpm: row("CPM", "Cost of a thousand uploaded impressions, in the app's currency", {
    ...ratio(cost, uploadedImpressions, 1000),
  }),
  roas: row("ROAS", "Revenue in percent of the cost: 100 is break-even", ratio(revenue, cost, 100)),
};

/** The group of uploaded metrics, those with a name of their own first (D7.5). */
export const selfServeGroup = "Self-serve";

interface MetricGroup {
  readonly groupName: string;
  readonly parentGroupName: string | null;
  readonly fields: { readonly [key: string]: Pick<CatalogueMetric, "name" | "description"> };
}

/** The groups that metrics are told in, and the groups that those stand in. */
export const metricGroups = [
  { groupName: "Touchpoints", parentGroupName: null, fields: touchpoints },
  { groupName: "App events", parentGroupName: null, fields: appEvents },
  { groupName: "Installs", parentGroupName: "App events", fields: installEvents },
  { groupName: "Deeplinks", parentGroupName: "App events", fields: deeplinks },
  { groupName: "Orders and revenue", parentGroupName: "App events", fields: orders },
  { groupName: selfServeGroup, parentGroupName: null, fields: selfServe },
] as const satisfies readonly MetricGroup[];

/** Metrics that are spelled with the name of a custom event. */
export const customMetrics: MetricGroup = {
  groupName: "Custom events",
  parentGroupName: "App events",
  fields: {
    "custom:<name>": { name: "Custom events", description: "Number of custom events of that name" },
    "custom_users:<name>": {
      name: "Custom events: devices",
      description: "Number of distinct devices with custom events of that name",
    },
  },
};

/** Metrics with a name of their own (D7.5). */
export const metrics: Rows = Object.assign({}, ...metricGroups.map(({ fields }) => fields));

const customMetric = /^custom(?<users>_users)?:(?<name>\P{Cc}{1,128})$/u;

/** What a metric's key asks for, `custom:<name>` and `custom_users:<name>` included; null when there is no such metric. */
export function metricOf(key: string): Metric | null {
  if (Object.hasOwn(metrics, key)) return metrics[key]?.metric ?? null;
  const { users, name } = customMetric.exec(key)?.groups ?? {};
  if (name === undefined || name.trim() !== name) return null;
  return { kind: users === undefined ? "events" : "devices", of: { categories: [`custom:${name}`] } };
}

/** What a key of a checked query asks for: one that the catalogue has not is an uploaded metric's, archived since or not. */
export function askedMetric(key: string): Metric {
  return metricOf(key) ?? { kind: "uploaded", category: key };
}
