import { userAgents } from "../examples/tracking-links.ts";
import type { LinkApplication } from "./link-application.ts";
import type { Call } from "./raw-client.ts";

/** What creating a link answers. */
export interface Links {
  readonly id: number;
  readonly link: { readonly click: string; readonly impression: string; readonly serverToServerClick: string };
  readonly shortId: string;
  readonly shortUrl: string;
  readonly trackingTemplateID: string;
}

/** A link of the app whose token is given, of the example shop by default. */
export async function create({ call }: LinkApplication, body: object, token = "link"): Promise<Links> {
  const { json } = await call("POST", "/v1/tracking-links", { token, body: { channel: "partner", ...body } });
  return (json as { data: { trackingLink: Links } }).data.trackingLink;
}

/** Requests by which a browser or an app only looks ahead (contract/tracking-links.md#opening). */
export const prefetches = [
  { headers: { "Sec-Purpose": "prefetch" } },
  { headers: { "Sec-Purpose": "prefetch;prerender" } },
  { headers: { Purpose: "prefetch" } },
  { headers: { Purpose: "preview" } },
  { headers: { "X-Purpose": "preview" } },
  { headers: { "X-Moz": "Prefetch" } },
] as const satisfies readonly Call[];

/** Opens an address of a link as a browser would. */
export function open(
  application: LinkApplication,
  address: string,
  userAgent: string = userAgents.iphone,
  call: Call & { method?: string } = {},
) {
  const { method = "GET", headers = {}, ...rest } = call;
  return application.call(method, address.slice(application.baseUrl.length), {
    ...rest,
    headers: { "User-Agent": userAgent, ...headers },
  });
}

/** A request to change a link. */
export interface Change {
  readonly query?: string;
  readonly body?: unknown;
  readonly token?: string;
}

const methods = { "": "PATCH", "og-tag": "PATCH", routing: "PATCH", archive: "POST", restore: "POST" } as const;

/** Requests a change of a link; without a name, of its campaign parameters. */
export async function change(
  application: LinkApplication,
  what: keyof typeof methods,
  id: string | number,
  more: Change = {},
) {
  const { query = "", token = "owner" } = more;
  const { body = methods[what] === "PATCH" ? {} : undefined } = more;
  const path = `/v1/tracking-links/${id}${what === "" ? "" : `/${what}`}${query}`;
  return application.call(methods[what], path, {
    ...(body === undefined ? {} : { body }),
    ...(token === "" ? {} : { token }),
  });
}

/** What the shop's owner reads of a link. */
export async function detail(application: LinkApplication, id: number): Promise<{ readonly [field: string]: unknown }> {
  const { json } = await application.call("GET", `/v1/tracking-links/${id}`, { token: "owner" });
  return (json as { data: { [field: string]: unknown } }).data;
}
