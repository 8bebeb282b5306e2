import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conversionFeedRoutes, type PublishedNow } from "../../../read-api/conversion-values/feed-routes.ts";
import { servedShop } from "../../support/application.ts";
import { bitConfigPath, feedPath, iosStoreId } from "../../support/conversion-application.ts";
import { serveRoutes } from "../../support/served-routes.ts";

const channel = { kind: "channel", tokenId: "id-of-channel", channel: "tiktok", responseFormat: "v1" } as const;
const recordedAt = (second: number): Date => new Date(second * 1_000);
const model = { configType: "SKAN_3", postbacks: [] } as const;

/** The second that each feed shows of a model and a mapping that were recorded then. */
async function shownOf(modelAt: number, mappingAt: number): Promise<readonly unknown[]> {
  const published: PublishedNow = {
    model: { value: model, recordedAt: recordedAt(modelAt) },
    partners: new Map([
      ["tiktok", { value: {}, recordedAt: recordedAt(mappingAt) }],
      ["kakao", { value: {}, recordedAt: recordedAt(40) }],
    ]),
  };
  const routes = conversionFeedRoutes({
    findAppByStoreId: async () => servedShop,
    publishedModelOf: async () => published,
    baseUrl: "https://api.example",
  });
  const { call, close } = await serveRoutes(routes, { authenticate: async () => channel });
  try {
    const shown = [];
    for (const path of [feedPath, bitConfigPath]) {
      const query = new URLSearchParams({ ios_store_app_id: iosStoreId, response_format: "v1", api_key: "channel" });
      const { json } = await call("GET", `${path}?${query}`, { token: "channel" });
      shown.push((json as { last_update_time: unknown }).last_update_time);
    }
    return shown;
  } finally {
    await close();
  }
}

const lastUpdate = suite("the last update of a conversion-value feed");

lastUpdate("is when the channel's own mapping was recorded after the model", async () => {
  assert.equal(await shownOf(10, 20), [20, 20]);
});

lastUpdate("is when the model was recorded after the mapping", async () => {
  assert.equal(await shownOf(30, 20), [30, 30]);
});

lastUpdate.run();
