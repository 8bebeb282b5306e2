import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linkResolver } from "../../../commands/link-serving/resolved-link.ts";
import { type RegisteredApp, registeredApp } from "../../../domain/apps/registered-app.ts";
import { withClickId } from "../../../domain/tracking-links/click-url.ts";
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

resolving.run();
