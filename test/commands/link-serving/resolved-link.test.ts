import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linkResolver, withUrlParameters } from "../../../commands/link-serving/resolved-link.ts";
import { urlParameters } from "../../../commands/link-serving/url-parameters.ts";
import { type RegisteredApp, registeredApp } from "../../../domain/apps/registered-app.ts";
import { withClickId } from "../../../domain/tracking-links/click-destination.ts";
import { shop } from "../../examples/app.ts";
import { aLink } from "../../examples/tracking-links.ts";

const resolving = suite("a resolved link");

resolving("is cached until its app changes, and then has the destination of the app", async () => {
  let app: RegisteredApp = registeredApp(shop, "2026-01-01T00:00:00.000Z", 0n);
  const resolve = linkResolver(() => app, "https://touchledger.example/open");
  const link = aLink({ deeplinkUrl: null }).data;
  const first = await resolve(link);
  assert.is(await resolve(link), first);
  app = { ...app, desktopUrl: "https://new.example/" };
  const desktop = (await resolve(link))?.targets.desktop;
  assert.is(desktop?.kind === "redirect" && withClickId(desktop.to, "ID"), "https://new.example/?tl_click_id=ID");
});

resolving("has the campaign and the publisher of a URL, each also without the other", async () => {
  const app = registeredApp(shop, "2026-01-01T00:00:00.000Z", 0n);
  const openPage = "https://touchledger.example/open";
  const resolved = await linkResolver(() => app, openPage)(aLink().data);
  if (resolved === null) throw new Error("The link was not resolved");
  const { source } = resolved;
  const campaignParams = { ...source.campaignParams, term: "shoes" };
  for (const [query, changes] of [
    [{}, {}],
    [{ term: "shoes" }, { campaignParams }],
    [{ sub_publisher: "site" }, { publisher: { subPublisher: "site" } }],
  ] as const) {
    const served = withUrlParameters(resolved, urlParameters(query), openPage);
    assert.equal(served, { ...resolved, source: { ...source, ...changes } });
  }
});

resolving.run();
