import type { BenchLine } from "./support/bench-line.ts";

/**
 * `npm run bench [-- <part of a name> ...]`: measures each hot path next to its limit in the same run, and prints both
 * and their ratio. Exit 1 when a target is missed. `soak` takes an hour and runs only when it is named. One thread collects
 * its garbage: four would take the processors from the servers that it measures.
 */
const benches: Readonly<Record<string, () => Promise<readonly BenchLine[]>>> = {
  "event-log": async () => (await import("./event-log.ts")).benchEventLog(),
  redirect: async () => (await import("./redirect.ts")).benchRedirect(),
  "tracking-links": async () => (await import("./tracking-links.ts")).benchTrackingLinks(),
  lists: async () => (await import("./lists.ts")).benchLists(),
  context: async () => (await import("./context.ts")).benchContext(),
  "conversion-values": async () => (await import("./conversion-values.ts")).benchConversionValues(),
  documents: async () => (await import("./documents.ts")).benchDocuments(),
  ingest: async () => (await import("./ingest.ts")).benchIngest(),
  rebuild: async () => (await import("./rebuild.ts")).benchRebuild(),
  actuals: async () => (await import("./actuals.ts")).benchActuals(),
  reports: async () => (await import("./reports.ts")).benchReports(),
  "raw-exports": async () => (await import("./raw-exports.ts")).benchRawExports(),
  "upload-validation": async () => (await import("./upload-validation.ts")).benchUploadValidation(),
  uploads: async () => (await import("./uploads.ts")).benchUploads(),
  webhooks: async () => (await import("./webhooks.ts")).benchWebhooks(),
  "shared-address": async () => (await import("./shared-address.ts")).benchSharedAddress(),
  sizing: async () => (await import("./sizing.ts")).benchSizing(),
  soak: async () => (await import("./soak.ts")).benchSoak(),
};

const filters = process.argv.slice(2);
const chosen = Object.entries(benches).filter(
  ([name]) => (filters.length === 0 && name !== "soak") || filters.some((filter) => name.includes(filter)),
);
if (chosen.length === 0)
  throw new Error(`There is no bench "${filters.join('" or "')}": ${Object.keys(benches).join(", ")}.`);

const missed: string[] = [];
for (const [name, bench] of chosen) {
  console.log(`\n${name}`);
  for (const line of await bench()) {
    console.log(`  ${described(line)}`);
    if (!line.met) missed.push(line.path);
  }
}
console.log(missed.length === 0 ? "\nEvery target is met." : `\nNot met: ${missed.join("; ")}.`);
process.exit(missed.length === 0 ? 0 : 1);

function described({ path, measured, unit, limit, ratio, target, met, note }: BenchLine): string {
  const figure = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });
  const beside = limit === null ? "" : `, limit ${figure(limit)}`;
  const share = ratio === null ? "" : `, ratio ${ratio.toFixed(2)}`;
  return `${met ? "met   " : "MISSED"} ${path}: ${figure(measured)} ${unit}${beside}${share} (target ${target})${note === undefined ? "" : `; ${note}`}`;
}
