import { userAgents } from "../examples/tracking-links.ts";
import type { Call } from "./client.ts";
import type { LinkHouse } from "./link-house.ts";

/** What creating a link answers. */
export interface Links {
  readonly id: number;
  readonly link: { readonly click: string; readonly impression: string; readonly serverToServerClick: string };
  readonly shortId: string;
  readonly shortUrl: string;
  readonly trackingTemplateID: string;
}

/** A link of the example shop. */
export async function create({ call }: LinkHouse, body: object): Promise<Links> {
  const { json } = await call("POST", "/v1/tracking-links", { token: "link", body: { channel: "partner", ...body } });
  return (json as { data: { trackingLink: Links } }).data.trackingLink;
}

/** Opens an address of a link as a browser would. */
export function open(
  house: LinkHouse,
  address: string,
  userAgent: string = userAgents.iphone,
  call: Call & { method?: string } = {},
) {
  const { method = "GET", headers = {}, ...rest } = call;
  return house.call(method, address.slice(house.baseUrl.length), {
    ...rest,
    headers: { "User-Agent": userAgent, ...headers },
  });
}
