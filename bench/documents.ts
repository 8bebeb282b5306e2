import { runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import { atLeast, type BenchLine } from "./support/bench-line.ts";
import { bareAndOurs, connections, loadOf } from "./support/http-load.ts";

const minPerSecond = { whole: 1_500, unchanged: 3_000 };

/**
 * `/openapi.json` and `/docs`, compressed as browsers ask for them, beside a bare Express GET of the same bytes; then both
 * with an `If-None-Match` that holds.
 */
export async function benchDocuments(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { baseUrl } = application.run;
    const lines: BenchLine[] = [];
    for (const path of ["/openapi.json", "/docs"]) {
      const headers = { "accept-encoding": "gzip" };
      const answered = await fetch(`${baseUrl}${path}`, { headers });
      const body = Buffer.from(await answered.arrayBuffer());
      const etag = answered.headers.get("etag") ?? "";
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
