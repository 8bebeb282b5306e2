import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { runProgram } from "../../support/command-line.ts";
import { type RunningShop, runShop } from "../../support/running-shop.ts";

let shop: RunningShop;

const behind = suite("An instance whose public addresses its machine does not reach");
behind.before(async () => {
  shop = await runShop({ HOST: "127.0.0.1", BASE_URL: "https://api.invalid", LINK_BASE_URL: "https://links.invalid" });
});
behind.after(() => shop.end());

behind("hands out its public addresses, and serves links at their host alone", async () => {
  const created = await shop.application.client(shop.tokens.link).send("POST", "/v1/tracking-links", {
    channel: "appier",
  });
  const { shortUrl } = (created as { data: { trackingLink: { shortUrl: string } } }).data.trackingLink;
  assert.match(shortUrl, /^https:\/\/links\.invalid\/\w+$/);
  const { port } = shop.application.run;
  const visited = async (host: string): Promise<number | undefined> => {
    const headers = { Host: host };
    const [response] = await once(
      get({ host: "127.0.0.1", port, path: new URL(shortUrl).pathname, headers }),
      "response",
    );
    return (response as IncomingMessage).resume().statusCode;
  };
  assert.equal([await visited("links.invalid"), await visited("127.0.0.1")], [302, 404]);
});

behind("is called at its local address by the commands of its machine", async () => {
  const run = (...words: readonly string[]) =>
    runProgram(words, { DATA_DIR: shop.data, TOUCHLEDGER_TOKEN: shop.tokens.api, ADMIN_TOKEN: "" });
  assert.is((await run("bundle", "list")).err, "");
  const file = join(shop.directory, "rows.csv");
  const day = addDays(localDate("Asia/Seoul", Date.now()), -1);
  const query = ["--type", "app", "--from", day, "--to", day, "--events", "app_installs"];
  const exported = await run("export", "--app", "shop", ...query, "--properties", "event_id", "--out", file);
  assert.match(exported.err, /^Export \d+ was requested\.\n$/);
  assert.is(await readFile(file, "utf8"), "event_id\r\n");
});

behind.run();
