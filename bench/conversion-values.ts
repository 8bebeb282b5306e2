import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { atLeast, type BenchLine } from "./support/bench-line.ts";
import { compareWithBare, connections, type LoadRequest, loadOf, warmUp } from "./support/http-load.ts";

const iosStoreId = "123456789";
const channel = "partner";
const responseFormat = "Partner";
const minPerSecond = { feed: 3_000, unchanged: 5_000 };
const shop = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example", iosStoreId };

/** Revenue in 63 steps, and a sign-up; on every postback three coarse values. */
const model = {
  configType: "SKAN_4",
  postbacks: [0, 1, 2].map((postbackSequenceIndex) => ({
    postbackSequenceIndex,
    ...(postbackSequenceIndex === 0
      ? { fine: { schema: Array.from({ length: 64 }, (_, value) => benchValue(value, value * 10)) } }
      : {}),
    coarse: { schema: ["low", "medium", "high"].map((value, index) => benchValue(value, index * 200)) },
  })),
};

function benchValue(conversionValue: number | string, minAmount: number): object {
  const values = { minAmount, maxAmount: minAmount + 10 };
  return {
    conversionValue,
    events: [
      { eventName: "app_order_complete", measurementType: "revenue", values },
      { eventName: "app_sign_up", measurementType: "engagement" },
    ],
  };
}

/**
 * The conversion-value feed, with the key checked and without rate limits, next to a bare Express GET that returns the
 * same bytes; then both with an `If-None-Match` that matches.
 */
export async function benchConversionValues(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { operator, run } = application;
    await registerApp(operator, shop);
    const profile = { displayName: responseFormat, type: "integrated", selfAttributing: false, costIntegrated: false };
    await operator.send("PUT", `/admin/v1/channels/${channel}`, profile);
    const certificate = await operator.send("PUT", `/admin/v1/channels/${channel}/certification`, { responseFormat });
    const { apiKey } = certificate as { readonly apiKey: string };
    await operator.send("PUT", "/admin/v1/apps/shop/conversion-values", model);
    const partner = { events: { app_order_complete: "purchase" } };
    await operator.send("PUT", `/admin/v1/apps/shop/conversion-values/partners/${channel}`, partner);

    const query = new URLSearchParams({
      ios_store_app_id: iosStoreId,
      response_format: responseFormat,
      api_key: apiKey,
    });
    const path = `/skadnetwork/v1/conversion-value-schema?${query}`;
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${run.baseUrl}${path}`, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    const etag = response.headers.get("etag") ?? "";

    const measure = async (status: number, sent: LoadRequest["headers"]) => {
      const bareOf = async (origin: string) => {
        await fetch(`${origin}/stored`, { method: "PUT", headers: { "content-type": "application/json" }, body });
        const { headers: stored } = await fetch(`${origin}/stored`);
        const bareHeaders = status === 304 ? { "if-none-match": stored.get("etag") ?? "" } : {};
        return loadOf(origin, status, [{ method: "GET", path: "/stored", headers: bareHeaders }]);
      };
      const target = loadOf(run.baseUrl, status, [{ method: "GET", path, headers: sent }]);
      await warmUp(target, 10_000);
      return compareWithBare(bareOf, target);
    };
    const whole = await measure(200, headers);
    const unchanged = await measure(304, { ...headers, "if-none-match": etag });
    const kilobytes = (body.length / 1_000).toFixed(1);
    return [
      line(`conversion-value feed, ${kilobytes} kB, ${connections} connections`, whole, minPerSecond.feed),
      line("conversion-value feed, 304", unchanged, minPerSecond.unchanged),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}

function line(
  path: string,
  { measured, bare }: { readonly measured: number; readonly bare: number },
  min: number,
): BenchLine {
  const note = "the limit is a bare Express GET of the same bytes";
  return atLeast(min, { path, measured, unit: "responses/s", note }, bare);
}
