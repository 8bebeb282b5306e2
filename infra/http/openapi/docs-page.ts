import { createHash } from "node:crypto";
import { escaped } from "../response/html-text.ts";
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse, Parameter } from "./open-api.ts";

/** A page with its `Content-Security-Policy`, which allows the style and the script of the page alone. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; padding: 1rem; }
nav a { display: block; color: inherit; text-decoration: none; padding: .1rem 0; }
nav a:hover, nav a:focus { text-decoration: underline; }
main { padding: 1rem 2rem; max-width: 60rem; }
section { border-top: 1px solid #8886; padding: 1rem 0; content-visibility: auto; contain-intrinsic-height: auto 40rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; background: #8882; border-radius: 4px; }
table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0; }
input { width: 100%; box-sizing: border-box; padding: .4rem; font: inherit; }
summary { cursor: pointer; } [hidden] { display: none; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
`;

/** Hides operations that lack a word of the search field, and groups without a visible operation. */
const script = `
const field = document.getElementById("search");
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const one of document.querySelectorAll("[data-words]")) {
    one.hidden = !words.every((word) => one.dataset.words.includes(word));
  }
  for (const group of document.querySelectorAll("[data-group]")) {
    group.hidden = group.querySelector("[data-words]:not([hidden])") === null;
  }
});
`;

/** The documentation of an API as one page, which loads nothing (docs/decisions/026). */
export function docsPage({ paths, info }: OpenApiDocument): DocsPage {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = [...new Set(operations.map(({ operation }) => operation.tags[0]))].sort();
  const inGroup = (group: string) => operations.filter(({ operation }) => operation.tags[0] === group);
  const grouped = (heading: "h2" | "h3", written: (listed: ListedOperation) => string): string =>
    groups
      .map((group) => {
        const title = `<${heading}>${escaped(titleOf(group))}</${heading}>`;
        return `<div data-group>${title}${inGroup(group).map(written).join("")}</div>`;
      })
      .join("");
  const { title, version } = info as { readonly title: string; readonly version: string };
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)} API</title><style>${style}</style></head><body>
<nav><label for="search">Search</label><input id="search" type="search" autocomplete="off">${grouped("h3", linkTo)}</nav>
<main><h1>${escaped(title)} API <small>${escaped(version)}</small></h1>
<p>Also available as <a href="openapi.json">OpenAPI 3.1</a>. Calls are authorised with <code>Authorization: Bearer &lt;token&gt;</code>.</p>
${grouped("h2", section)}</main><script>${script}</script></body></html>`;
  return {
    html,
    contentSecurityPolicy:
      `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
}

interface ListedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

/** `conversion-values` as `Conversion values`. */
function titleOf(group: string): string {
  return group.charAt(0).toUpperCase() + group.slice(1).replaceAll("-", " ");
}

function wordsOf({ path, method, operation: { summary, description } }: ListedOperation): string {
  return escaped(`${method} ${path} ${summary} ${description}`.toLowerCase());
}

function linkTo(listed: ListedOperation): string {
  const { operationId, summary } = listed.operation;
  return `<a href="#${operationId}" data-words="${wordsOf(listed)}">${escaped(summary)}</a>`;
}

function section(listed: ListedOperation): string {
  const { path, method, operation } = listed;
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([mediaType, { example, schema }]) =>
      `<h4>Body: <code>${escaped(mediaType)}</code></h4>${json(example)}${folded("Schema", json(schema))}`,
  );
  const samples = operation["x-codeSamples"].map(({ lang, source }) => folded(lang, code(source)));
  return `<section id="${operationId}" data-words="${wordsOf(listed)}"><h3>${escaped(summary)}</h3>
<p><code><b>${method}</b> ${escaped(path)}</code></p>${paragraphs(description)}
<p>Permitted: ${operation["x-permissions"].map((name) => `<code>${escaped(name)}</code>`).join(", ")}.
Rate limit: <code>${escaped(operation["x-rate-limit"])}</code>.</p>
${parameterTable(parameters)}${body.join("")}${samples.join("")}<h4>Responses</h4>
${Object.entries(responses)
  .map(([status, response]) => responseSection(status, response))
  .join("")}</section>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description = "", schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${place}${required === true ? ", required" : ""}</td>` +
      `<td>${inline(description)} <code>${escaped(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<h4>Parameters</h4><table>${rows.join("")}</table>`;
}

function responseSection(status: string, { description, content = {} }: OpenApiResponse): string {
  const bodies = Object.entries(content).map(([mediaType, { example, schema }]) => {
    if (mediaType === "application/problem+json") return folded("Example", json(example));
    const shown = typeof example === "string" ? code(example) : json(example);
    return `<p><code>${escaped(mediaType)}</code></p>${shown}${folded("Schema", json(schema))}`;
  });
  return `<p><b>${escaped(status)}</b> ${inline(description)}</p>${bodies.join("")}`;
}

function folded(title: string, content: string): string {
  return `<details><summary>${escaped(title)}</summary>${content}</details>`;
}

function json(value: unknown): string {
  return value === undefined ? "" : code(JSON.stringify(value, null, 2));
}

function code(source: string): string {
  return `<pre><code>${escaped(source)}</code></pre>`;
}

function paragraphs(markdown: string): string {
  return markdown
    .split("\n\n")
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join("");
}

/** Markdown of one paragraph: code alone. */
function inline(markdown: string): string {
  return escaped(markdown).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
