import type { LinkPreview } from "../../domain/tracking-links/link-preview.ts";
import { escaped } from "../../infra/http/response/html-text.ts";
import { sha256 } from "../derived-ids.ts";

/** An HTML page with the content security policy that it needs. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** Opens the app; goes to the fallback if the page is still visible after 1.5 s. */
const openAppScript = `(function () {
  var to = document.body.dataset;
  var waiting = setTimeout(function () { if (!document.hidden) location.replace(to.fallback); }, 1500);
  document.addEventListener("visibilitychange", function () { if (document.hidden) clearTimeout(waiting); });
  location.href = to.deeplink;
})();`;

const noScripts = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const openAppPolicy = `${noScripts}; script-src 'sha256-${sha256(openAppScript).toString("base64")}'`;

/** Opens a deeplink, then the fallback (contract/tracking-links.md#opening); two plain links if scripts are disabled. */
export function openAppPage(deeplink: string, fallback: string): Page {
  const [app, other] = [escaped(deeplink), escaped(fallback)];
  const html = document(
    "Opening the app",
    `<p><a href="${app}">Open the app</a></p><p><a href="${other}">Continue without the app</a></p>` +
      `<script>${openAppScript}</script>`,
    { attributes: ` data-deeplink="${app}" data-fallback="${other}"` },
  );
  return { html, contentSecurityPolicy: openAppPolicy };
}

/** The preview for social crawlers (contract/tracking-links.md#opening); escaped, without resources or scripts. */
export function previewPage({ title, description, imageUrl, appName }: LinkPreview): Page {
  const tags: readonly (readonly [string, string | null])[] = [
    [`property="og:type"`, "website"],
    [`property="og:site_name"`, appName],
    [`property="og:title"`, title],
    [`property="og:description"`, description],
    [`property="og:image"`, imageUrl],
    [`name="description"`, description],
    [`name="twitter:card"`, imageUrl === null ? "summary" : "summary_large_image"],
  ];
  const head = tags.map(([name, value]) => (value === null ? "" : `<meta ${name} content="${escaped(value)}">`));
  const body = `<h1>${escaped(title)}</h1>${description === null ? "" : `<p>${escaped(description)}</p>`}`;
  return { html: document(escaped(title), body, { head: head.join("") }), contentSecurityPolicy: noScripts };
}

/** For unknown links (contract/tracking-links.md#unknown-links). */
export const unknownLinkPage: Page = plainPage("Link not found", "This link does not exist.");

/** For links that cannot be looked up now. */
export const linkUnavailablePage: Page = plainPage(
  "One moment",
  "This link cannot be opened right now. Try again soon.",
);

/** The destination if neither link nor app names one (contract/tracking-links.md#opening). */
export const openPage: Page = plainPage("Thank you", "You can open the app on your device now.");

function plainPage(title: string, text: string): Page {
  return { html: document(title, `<h1>${title}</h1><p>${text}</p>`), contentSecurityPolicy: noScripts };
}

function document(title: string, body: string, { head = "", attributes = "" } = {}): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="robots" content="noindex"><title>${title}</title>${head}</head><body${attributes}>${body}</body></html>`
  );
}
