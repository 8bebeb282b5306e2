// time limit: 60 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mountDocuments } from "../../../../infra/http/openapi/mount-documents.ts";
import { createHttpApp, securityHeaders } from "../../../../infra/http/server/http-app.ts";
import { listen } from "../../../../infra/http/server/http-server.ts";
import { startBrowser } from "../../../support/browser.ts";
import { served } from "../../../support/documented-responses.ts";
import { everyOpenEndpoint, everyRoute } from "../../../support/every-route.ts";

const test = suite("the search of the documentation in a browser");

test("shows the operations with every word, only under their groups, and all without a word", async () => {
  const app = createHttpApp();
  app.use(securityHeaders());
  mountDocuments(app, served, "0.0.0");
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const { browser, close } = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.port}/docs`);
    const visible = (selector: string): Promise<readonly string[]> =>
      page.evaluate(
        `[...document.querySelectorAll("${selector}")].filter((one) => one.offsetParent).map((one) => one.textContent)`,
      );
    const all = await visible("nav a");
    assert.is(all.length, everyRoute.length + everyOpenEndpoint.length);
    await page.fill("#search", "qr  CODE");
    assert.equal(
      [await visible("nav h3"), await visible("nav a"), await visible("h2"), await visible("section > h3")],
      [
        ["Tracking links"],
        ["Get the QR code of a tracking link"],
        ["Tracking links"],
        ["Get the QR code of a tracking link"],
      ],
    );
    await page.fill("#search", "there is no such thing");
    assert.equal([await visible("nav a, nav h3"), await visible("h2, section")], [[], []]);
    await page.fill("#search", " ");
    assert.equal(await visible("nav a"), all);
  } finally {
    await Promise.all([close(), server.close(AbortSignal.timeout(1_000))]);
  }
});

test.run();
