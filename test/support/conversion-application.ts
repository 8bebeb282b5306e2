import { createAppDirectory } from "../../commands/apps/app-directory.ts";
import { channelFinder } from "../../commands/channels/find-channel.ts";
import { createPublishedModels } from "../../commands/conversion-values/published-models.ts";
import { conversionModelRoutes } from "../../commands/conversion-values/routes.ts";
import { conversionValuesProjection } from "../../projections/conversion-values/projection.ts";
import type { PositionAsOf } from "../../read-api/as-of.ts";
import { conversionValueRoutes } from "../../read-api/read-api.ts";
import { type Administration, type AdministrationOptions, adminToken, startAdministration } from "./administration.ts";
import type { Answer } from "./raw-client.ts";

export const iosStoreId = "123456789";
export const responseFormat = "TikTok For Business";
export const feedPath = "/skadnetwork/v1/conversion-value-schema";
export const bitConfigPath = "/skadnetwork/conversion-bit-config/v4";
const valuesPath = "/admin/v1/apps/shop/conversion-values";

export interface ConversionApplication extends Administration {
  /** Texts of the tokens of the app `shop`, which has {@link iosStoreId} and counts in USD. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Each as the app's owner. */
  publish(body: unknown): Promise<Answer>;
  map(channel: string, events: unknown): Promise<Answer>;
  /** `rest`: what comes after the path of the app's conversion values. */
  read(rest: string, token?: string): Promise<Answer>;
  /** Certifies a channel, by default `tiktok` as {@link responseFormat}, and answers its key. */
  certify(channel?: string, format?: string): Promise<string>;
  /** Calls a feed; parameters of undefined are left out. */
  feed(apiKey: string, change?: Readonly<Record<string, string | undefined>>, path?: string): Promise<Answer>;
}

/** The conversion values of one app over HTTP, by positions of the log. */
export async function startConversionApplication(options: AdministrationOptions = {}): Promise<ConversionApplication> {
  const positionAsOf: PositionAsOf = async (asOf) =>
    asOf === "999999999"
      ? { outcome: "ahead" }
      : { outcome: "at", position: asOf === null ? 10n ** 18n : BigInt(asOf) };
  const application = await startAdministration({
    ...options,
    projections: [conversionValuesProjection],
    routes: ({ log, readModel }) => {
      const { findAppByStoreId } = createAppDirectory(log);
      const published = createPublishedModels(log);
      const conversionValues = { findAppByStoreId, publishedModelOf: published.get, positionAsOf };
      return [
        ...conversionModelRoutes({
          log,
          findChannel: channelFinder(log, async () => []),
          onChanged: published.forget,
        }),
        ...conversionValueRoutes({ live: async () => readModel(), conversionValues, baseUrl: "https://api.example" }),
      ];
    },
  });
  const app = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example", iosStoreId };
  const registered = await application.call("POST", "/admin/v1/apps", { token: adminToken, body: app });
  const { tokens } = (registered.json as { data: { tokens: Readonly<Record<string, string>> } }).data;
  const owner = tokens.api ?? "";
  return {
    ...application,
    tokens,
    publish: (body) => application.call("PUT", valuesPath, { token: owner, body }),
    map: (channel, events) =>
      application.call("PUT", `${valuesPath}/partners/${channel}`, { token: owner, body: { events } }),
    read: (rest, token = owner) => application.call("GET", `${valuesPath}${rest}`, { token }),
    certify: async (channel = "tiktok", format = responseFormat) => {
      const body = { responseFormat: format };
      const answer = await application.call("PUT", `/admin/v1/channels/${channel}/certification`, {
        token: adminToken,
        body,
      });
      return (answer.json as { apiKey: string }).apiKey;
    },
    feed: (apiKey, change = {}, path = feedPath) => {
      const parameters = { ios_store_app_id: iosStoreId, response_format: responseFormat, api_key: apiKey, ...change };
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
      return application.call("GET", `${path}?${query}`, { token: apiKey });
    },
  };
}
