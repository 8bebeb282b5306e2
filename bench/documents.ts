import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { atLeast, type BenchLine } from "./support/bench-line.ts";
import { bareAndOurs, connections, loadOf } from "./support/http-load.ts";

const compressedWithin = 10_000;
const minPerSecond = { whole: 1_500, unchanged: 3_000 };

/** As browsers send it over TLS. */
const headers = { "accept-encoding": "gzip, deflate, br" };

/**
 * `/openapi.json` and `/docs`, compressed as browsers ask for them, next to a bare Express GET of the same compressed
 * bytes; then both with an `If-None-Match` that holds.
 */
export async function benchDocuments(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { baseUrl } = application.run;
    const lines: BenchLine[] = [];
    for (const path of ["/openapi.json", "/docs"]) {
      const { body, etag } = await untilBrotli(`${baseUrl}${path}`);
      const measured = async (status: number, more: { readonly [name: string]: string }): Promise<BenchLine> => {
        const bareOf = async (origin: string) => {
          await fetch(`${origin}/kept`, { method: "PUT", headers: { "content-type": "application/json" }, body });
          const { headers: kept } = await fetch(`${origin}/kept`);
          const bareHeaders = status === 304 ? { "if-none-match": kept.get("etag") ?? "" } : {};
          return loadOf(origin, status, [{ method: "GET", path: "/kept", headers: bareHeaders }]);
        };
        const target = loadOf(baseUrl, status, [{ method: "GET", path, headers: { ...headers, ...more } }]);
        const { ours, bare } = await bareAndOurs(bareOf, target);
        const what = status === 304 ? "unchanged" : "whole";
        const figure = { path: `${path}, ${what}, ${connections} connections`, measured: ours, unit: "answers/s" };
        return atLeast(minPerSecond[what], figure, bare);
      };
      lines.push(await measured(200, {}), await measured(304, { "if-none-match": etag }));
    }
    return lines;
  } finally {
    await application.stop();
    await directory.remove();
  }
}

/** The compressed bytes; they are made after the first request. */
async function untilBrotli(url: string): Promise<{ readonly body: Buffer; readonly etag: string }> {
  for (const deadline = Date.now() + compressedWithin; Date.now() < deadline; await pause(50)) {
    const [answer] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
    const body = await buffer(answer);
    if (answer.headers["content-encoding"] === "br") return { body, etag: answer.headers.etag ?? "" };
  }
  throw new Error(`${url} was not compressed in ${compressedWithin} ms`);
}
