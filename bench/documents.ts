import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { atLeast, type BenchLine } from "./support/bench-line.ts";
import { compareWithBare, connections, loadOf } from "./support/http-load.ts";

const compressedWithin = 10_000;
const minPerSecond = { whole: 1_500, unchanged: 3_000 };

/** As browsers send it over TLS. */
const headers = { "accept-encoding": "gzip, deflate, br" };

/**
 * `/openapi.json` and `/docs`, compressed as for browsers, next to a bare Express GET of the same compressed bytes;
 * then both with an `If-None-Match` that matches.
 */
export async function benchDocuments(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { baseUrl } = application.run;
    const lines: BenchLine[] = [];
    for (const path of ["/openapi.json", "/docs"]) {
      const { body, etag } = await untilBrotli(`${baseUrl}${path}`);
      const measure = async (status: number, more: { readonly [name: string]: string }): Promise<BenchLine> => {
        const bareOf = async (origin: string) => {
          await fetch(`${origin}/stored`, { method: "PUT", headers: { "content-type": "application/json" }, body });
          const { headers: stored } = await fetch(`${origin}/stored`);
          const bareHeaders = status === 304 ? { "if-none-match": stored.get("etag") ?? "" } : {};
          return loadOf(origin, status, [{ method: "GET", path: "/stored", headers: bareHeaders }]);
        };
        const target = loadOf(baseUrl, status, [{ method: "GET", path, headers: { ...headers, ...more } }]);
        const { measured, bare } = await compareWithBare(bareOf, target);
        const what = status === 304 ? "unchanged" : "whole";
        const figure = { path: `${path}, ${what}, ${connections} connections`, measured, unit: "responses/s" };
        return atLeast(minPerSecond[what], figure, bare);
      };
      lines.push(await measure(200, {}), await measure(304, { "if-none-match": etag }));
    }
    return lines;
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** The compressed bytes, which the server computes after the first request. */
async function untilBrotli(url: string): Promise<{ readonly body: Buffer; readonly etag: string }> {
  for (const deadline = Date.now() + compressedWithin; Date.now() < deadline; await pause(50)) {
    const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
    const body = await buffer(response);
    if (response.headers["content-encoding"] === "br") return { body, etag: response.headers.etag ?? "" };
  }
  throw new Error(`${url} was not compressed in ${compressedWithin} ms`);
}
