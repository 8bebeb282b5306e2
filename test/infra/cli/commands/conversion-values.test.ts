import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conversionValuesCommand } from "../../../../infra/cli/commands/conversion-values.ts";
import { revenue, skan3, skan4 } from "../../../examples/conversion-values.ts";
import { runCommand } from "../../../support/command-line.ts";
import { type ConversionApplication, startConversionApplication } from "../../../support/conversion-application.ts";

let application: ConversionApplication;
const positions: string[] = [];
const commanding = suite("touchledger conversion-values");
commanding.before(async () => {
  application = await startConversionApplication();
  const published = [
    await application.publish(skan4),
    await application.map("tiktok", { app_order_complete: "CompletePayment\u0007" }),
    await application.publish(skan3(revenue("app_order_complete", 1, 2.5))),
  ];
  positions.push(...published.map(({ headers }) => String(headers["x-log-position"])));
  process.env.TOUCHLEDGER_TOKEN = application.tokens.api;
});
commanding.after(async () => {
  delete process.env.TOUCHLEDGER_TOKEN;
  await application.close();
});

/** Lines that the command prints, a failure last; times and ids as `_`. */
async function run(...words: readonly string[]): Promise<readonly string[]> {
  const options = ["--app", "shop", "--url", `http://127.0.0.1:${application.port}`];
  const { out, failure } = await runCommand(conversionValuesCommand(), [...words, ...options]);
  return [out, failure]
    .filter((text) => text !== "")
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/since \S+ \(position \d+\), published by token [0-9a-f]{8} \(owner\)/, "_"));
}

commanding("show prints the whole model, now or in the past", async () => {
  assert.equal(await run("show"), [
    "Version 2 (SKAN_3), in force _, of shop:",
    "",
    "what                                meaning",
    `${"-".repeat(34)}  ${"-".repeat(47)}`,
    "framework                           SKAN_3",
    "postback 0, fine 1                  app_order_complete, revenue from 1 to under 2.5",
    "channel tiktok                      reads them",
    "channel tiktok, app_order_complete  CompletePayment\uFFFD",
  ]);
  const before = await run("show", "--as-of", positions[0] ?? "");
  assert.is(before[0], "Version 1 (SKAN_4), in force _, of shop:");
  assert.ok(before.includes("postback 0, lock window  event app_sign_up"), before.join("\n"));
});

commanding("decode prints the meaning of one value", async () => {
  assert.equal(await run("decode", "37", "--at", positions[1] ?? ""), [
    "Version 1 (SKAN_4), in force _.",
    "Value 37 on postback 0, which overlaps with another one:",
    "  app_order_complete, revenue from 0 to under 10.5 (CompletePayment\uFFFD at tiktok)",
  ]);
  assert.equal(await run("decode", "low", "--postback", "1", "--at", positions[0] ?? ""), [
    "Version 1 (SKAN_4), in force _.",
    "Value low on postback 1:",
    "  app_open, retention",
  ]);
  assert.equal((await run("decode", "0", "--at", positions[0] ?? "")).slice(1), [
    "Value 0 on postback 0:",
    "  no event",
  ]);
  assert.equal((await run("decode", "37")).slice(1), ["It has no value 37 on postback 0."]);
});

commanding("diff prints the changes between two moments", async () => {
  const lines = await run("diff", "--from", positions[0] ?? "");
  assert.equal(lines.slice(0, 3), ["from  Version 1 (SKAN_4), in force _", "to    Version 2 (SKAN_3), in force _", ""]);
  assert.match(lines.join("\n"), /^framework +SKAN_4 +SKAN_3$/m);
  assert.match(lines.join("\n"), /^postback 0, fine 1 +- +app_order_complete, revenue from 1 to under 2\.5$/m);
  assert.match(lines.join("\n"), /^postback 0, lock window +event app_sign_up +-$/m);
  assert.is(
    (await run("diff", "--from", positions[0] ?? "", "--to", positions[0] ?? "")).at(-1),
    "There are no differences.",
  );
});

commanding("says why it is refused", async () => {
  const [refused] = await run("show", "--as-of", "0");
  assert.match(
    refused ?? "",
    /^ApiCallFailed: .* refused with 404: No conversion values were in force then\. Ask for a later moment\.$/,
  );
  assert.match((await run("decode", "64")).join("\n"), "query.value must be a valid conversion value");
});

commanding.run();
