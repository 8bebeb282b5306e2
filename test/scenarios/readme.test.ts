// time limit: 240 s
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runApplication, temporaryDirectory } from "../support/application-process.ts";
import { root } from "../support/paths.ts";
import { runTour } from "../support/tour.ts";

const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

const test = suite("The README and the pages of docs");

test("have a tour whose commands work as written and print what it shows", async () => {
  const directory = await temporaryDirectory();
  const data = join(directory.path, "data");
  const application = await runApplication(data, { RATE_LIMITS: "on" });
  try {
    const stdout = await runTour(application, directory.path, data);
    for (const shown of [
      "HTTP/1.1 302 Found",
      "Location: https://shop.example/welcome?tl_click_id=",
      '{"data":{"accepted":2,"duplicates":0,"rejected":[],"devices":{"phone-1":',
      '"verdict":"won"',
      '"status":"SUCCESS"',
      '"groupBys":["newsletter","week_45"]',
      '"app_revenue":{"value":19.9,"isMasked":false,"viewFormat":null}',
      '"cost_channel":{"value":12.5,',
      '"roas":{"value":159.2,"isMasked":false,"viewFormat":null}',
      '"metric":"roas","value":159.2,"isMasked":false,"times":100,"parts":[',
      '"kind":"app_event","eventId":"5f0c8d1e-3c1b-4a52-8f55-0d2f6f3a9c02"',
      '"kind":"spend_row","requestId":',
      '{"data":{"conversionValues":{"version":1,"configType":"SKAN_4","postbacks":[{"postbackSequenceIndex":0,',
      '{"config_type":"SKAN_4","default_currency":"USD","last_update_time":',
      '"conversion_schema":{"fine":{"schema":[{"conversion_value":"37","is_overlapped":false,"events":[',
      '"partner_event_name":"CompletePayment","values":{"min_amount":10,"max_amount":20}}]}],"lock_window":null},"coarse":{"schema":[]}}}]}',
      "Value 37 on postback 0:\n  app_order_complete, revenue from 10 to under 20 (CompletePayment at tiktok)\n",
    ]) {
      assert.ok(stdout.includes(shown), `${shown} is not in:\n${stdout}`);
    }
    for (const line of [
      /^newsletter {2}\S+\+09:00\/\S+\+09:00 +1 +1 +19\.9$/m,
      /^newsletter {2}\d{4}-\d\d-\d\d +1 +1 +1$/m,
      /^newsletter {2}\d{4}-\d\d-\d\d +1 +19\.9 +12\.5 +159\.2$/m,
      /^Rows {5}2\nBytes {4}\d+\nSHA-256 {2}[0-9a-f]{64}$/m,
      /^\S+\+09:00,app_order_complete,phone-1,newsletter,week_45,19\.9,click_id\r$/m,
    ]) {
      assert.match(stdout, line);
    }
    assert.match(stdout, /^conversion_values\.models +1 +1 +[0-9a-f]{16} +same$/m);
    assert.match(stdout, /^Stored results of reports: 1, 1 rows, 0 differ\. Computed again: 1, 0 not reproduced\.$/m);
    assert.match(stdout, /^facts\.app_events +2 +2 +[0-9a-f]{16} +same$/m);
  } finally {
    await application.stop();
    await directory.remove();
  }
});

test("link and name files, folders and headings that exist", () => {
  const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const broken = pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) =>
      [
        ...linksOf(page).filter((link) => !resolves(link, page)),
        ...pathsNamedIn(page).filter((path) => !existsSync(join(root, path))),
      ].map((place) => `${page}: ${place}`),
    );
  assert.equal(broken, []);
});

/** Targets of the links of a page, without those to other sites. */
function linksOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link ?? "")
    .filter((link) => !/^[a-z]+:/.test(link));
}

function resolves(link: string, page: string): boolean {
  const [path = "", heading] = link.split("#");
  const target = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(target)) return false;
  return heading === undefined || anchorsOf(readFileSync(target, "utf8")).includes(heading);
}

/** Names of headings as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.replaceAll(/```.*?```/gs, "").matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Paths in code spans, from the root of the repository. */
function pathsNamedIn(page: string): readonly string[] {
  const folders = "test|infra|docs|domain|commands|projections|read-api|bench|\\.ci";
  return [...textOf(page).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]+)\``, "g"))].map(([, path]) => path ?? "");
}

test.run();
