import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const unpack = fileURLToPath(new URL("./unpack-chromium.js", import.meta.url));

/**
 * A real browser: the Chromium of `CHROMIUM_PATH`; else, on Linux for x64, the one that `@sparticuz/chromium` contains, with
 * the libraries it needs; else the Chrome that is installed. It gets pages of the test alone, so it runs without a sandbox,
 * which root and containers do not have.
 */
export async function startBrowser(): Promise<{ readonly browser: Browser; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-browser-"));
  const remove = () => rm(directory, { recursive: true, force: true, maxRetries: 5 });
  try {
    const browser = await chromium.launch({
      args: ["--no-sandbox", "--no-zygote"],
      ...(await program(directory)),
    });
    return { browser, close: () => browser.close().finally(remove) };
  } catch (failure) {
    await remove();
    throw failure;
  }
}

async function program(directory: string) {
  const { CHROMIUM_PATH: executablePath } = process.env;
  if (executablePath) return { executablePath };
  if (process.platform !== "linux" || process.arch !== "x64") return { channel: "chrome" };
  // The package unpacks its libraries only where it takes the system for that of AWS Lambda.
  const env = { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" };
  const { stdout } = await promisify(execFile)(process.execPath, [unpack], { env });
  const path = stdout.trim();
  const libraries = join(dirname(path), "al2023", "lib");
  return {
    executablePath: path,
    env: { HOME: directory, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(directory, "fonts") },
  };
}

/** A web server that answers every path with one page; `origin` is that of the page. */
export async function servePage(html: (query: URLSearchParams) => string) {
  const server = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(html(new URL(request.url ?? "", "http://page").searchParams));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
