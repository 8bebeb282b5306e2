import type { SourceFile } from "./source-files.ts";

/**
 * The import table: who may import whom. `*` stands for one name, `**` for any path, `<folder>` for the folder of the
 * file itself. A file falls under the first row that names it.
 */
interface Row {
  readonly files: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

/** Parsing, validating, identifying: nothing that opens a connection. Types of a package count as the package. */
const edgePackages = [
  "@fastify/busboy",
  "ajv",
  "ajv-formats",
  "bowser",
  "csv-parse",
  "csv-stringify",
  "express",
  "fast-json-stringify",
  "hyparquet-writer",
  "isbot",
  "json-schema-to-ts",
  "lru-cache",
  "uqr",
  "uuidv7",
];
const edgeBuiltins = ["node:async_hooks", "node:buffer", "node:crypto", "node:events", "node:stream", "node:zlib"];
const waiting = ["node:stream/promises", "node:timers/promises", "node:util"];

const infraImports = ["client/index.ts", "domain/**", "infra/**"];

const everything = { packages: ["**"], builtins: ["**"] };
const nothing = { packages: [], builtins: [] };
const edge = { packages: edgePackages, builtins: [...edgeBuiltins, ...waiting] };
const domainImports = ["domain/*.ts", "domain/values/*.ts", "domain/*/events.ts", "<folder>/*.ts"];
/** What a feature of `commands` may use of the layer: its root, and the mechanisms that have a folder of their own. */
const commandImports = [
  "domain/**",
  "commands/*.ts",
  "commands/ingest/*.ts",
  "commands/journals/*.ts",
  "commands/reactors/*.ts",
  "commands/tokens/issue-token.ts",
  "infra/event-log/event-log.ts",
  "infra/http/**",
  "infra/process/concurrency-limit.ts",
  "infra/process/single-flight.ts",
  "infra/process/time-limit.ts",
  "infra/tracing/*.ts",
];
const queryImports = [
  "domain/**",
  "read-api/*.ts",
  "projections/*/queries.ts",
  "projections/list-page.ts",
  "projections/projection.ts",
  "projections/facts/app-events/context-lookup.ts",
  "projections/facts/uploads/*.ts",
  "projections/reports/**",
  "infra/http/**",
  "infra/process/concurrency-limit.ts",
  "infra/process/time-limit.ts",
];
/**
 * Report arithmetic, and the arithmetic of labels: what an event's winner is at a position (docs/decisions). What
 * built-in channels are is stored in no event.
 */
const projectionImports = [
  "domain/*.ts",
  "domain/values/*.ts",
  "domain/*/events.ts",
  "domain/channels/built-in.ts",
  "domain/reporting/**",
  "domain/attribution/**",
  "domain/audit/**",
  "domain/prediction/**",
  "domain/raw-exports/**",
  "domain/uploads/**",
  "domain/webhooks/**",
  "projections/*.ts",
];
const projectionPackages = { packages: ["knex"], builtins: ["node:crypto", ...waiting] };

const table: readonly Row[] = [
  {
    files: "domain/event-catalogue.ts",
    imports: ["domain/event.ts", "domain/upcasters.ts", "domain/*/events.ts"],
    ...nothing,
  },
  { files: "domain/*.ts", imports: ["domain/*.ts", "domain/values/*.ts"], ...nothing },
  { files: "domain/values/*.ts", imports: ["<folder>/*.ts"], ...nothing },
  {
    files: "domain/reporting/**",
    imports: [...domainImports, "domain/app-events/categories.ts", "domain/reporting/**"],
    ...nothing,
  },
  /** Features are computed from what attribution says of an install, by its own arithmetic. */
  { files: "domain/prediction/*.ts", imports: [...domainImports, "domain/attribution/*.ts"], ...nothing },
  /** Exports name events, properties and filters as reports do. */
  { files: "domain/raw-exports/*.ts", imports: [...domainImports, "domain/reporting/**"], ...nothing },
  { files: "domain/uploads/**", imports: [...domainImports, "domain/uploads/**"], ...nothing },
  /** An unknown channel is refused alike everywhere. */
  { files: "domain/conversion-values/*.ts", imports: [...domainImports, "domain/channels/built-in.ts"], ...nothing },
  { files: "domain/*/*.ts", imports: domainImports, ...nothing },
  { files: "commands/command-api.ts", imports: [...commandImports, "commands/**"], ...edge },
  { files: "commands/*.ts", imports: commandImports, ...edge },
  /** Serving a link is recording a touchpoint of it. */
  {
    files: "commands/link-serving/*.ts",
    imports: [...commandImports, "commands/touchpoints/*.ts", "<folder>/*.ts"],
    ...edge,
  },
  { files: "commands/*/*.ts", imports: [...commandImports, "<folder>/*.ts"], ...edge },
  { files: "projections/*.ts", imports: projectionImports, ...projectionPackages },
  {
    files: "projections/engine/**",
    imports: [...projectionImports, "projections/engine/**"],
    ...projectionPackages,
  },
  {
    files: "projections/facts/**",
    imports: [...projectionImports, "projections/engine/**", "projections/facts/**"],
    ...projectionPackages,
  },
  {
    files: "projections/reports/attributions/*.ts",
    imports: [
      ...projectionImports,
      "projections/facts/attribution/*.ts",
      "projections/facts/queries.ts",
      "projections/reports/**",
    ],
    ...projectionPackages,
  },
  {
    files: "projections/reports/**",
    imports: [
      ...projectionImports,
      "domain/report-tasks/*.ts",
      "projections/engine/**",
      "projections/facts/dimensions/channel-flags.ts",
      "projections/facts/tables.ts",
      "projections/reports/**",
    ],
    ...projectionPackages,
  },
  {
    files: "projections/raw-exports/*.ts",
    imports: [
      ...projectionImports,
      "projections/engine/**",
      "projections/reports/facts/*.ts",
      "projections/reports/masking/*.ts",
      "projections/reports/query/*.ts",
      "<folder>/*.ts",
    ],
    ...projectionPackages,
  },
  {
    files: "projections/sql-views/*.ts",
    imports: [
      ...projectionImports,
      "projections/reports/facts/*.ts",
      "projections/reports/masking/*.ts",
      "<folder>/*.ts",
    ],
    ...projectionPackages,
  },
  {
    files: "projections/*/*.ts",
    imports: [...projectionImports, "projections/engine/**", "<folder>/*.ts"],
    ...projectionPackages,
  },
  { files: "read-api/read-api.ts", imports: [...queryImports, "read-api/**"], ...edge },
  { files: "read-api/*.ts", imports: queryImports, ...edge },
  { files: "read-api/report-tasks/**", imports: [...queryImports, "read-api/report-tasks/**"], ...edge },
  {
    files: "read-api/raw-exports/*.ts",
    imports: [...queryImports, "projections/raw-exports/*.ts", "<folder>/*.ts"],
    ...edge,
  },
  { files: "read-api/*/*.ts", imports: [...queryImports, "<folder>/*.ts"], ...edge },
  /** A package of its own, which is published without the application. */
  { files: "client/*.ts", imports: ["<folder>/*.ts"], packages: ["openapi-fetch"], builtins: [] },
  { files: "infra/composition/*.ts", imports: ["**"], ...everything },
  /** Reactors that store what is derived from the log, and append nothing. */
  { files: "infra/jobs/*.ts", imports: [...infraImports, "commands/reactors/*.ts"], ...everything },
  { files: "infra/main.ts", imports: ["**"], ...everything },
  { files: "infra/*.ts", imports: infraImports, ...everything },
  { files: "infra/*/*.ts", imports: infraImports, ...everything },
  { files: "infra/*/*/*.ts", imports: infraImports, ...everything },
];

/** What the file imports and may not; null when no row names the file, so that it stands in no known place. */
export function forbiddenImports(file: SourceFile): readonly string[] | null {
  const row = table.find(({ files }) => matches(files, file.path));
  if (row === undefined) return null;
  const folder = file.path.slice(0, file.path.lastIndexOf("/"));
  const allowed = row.imports.map((pattern) => pattern.replace("<folder>", folder));
  const isAllowed = (patterns: readonly string[]) => (name: string) =>
    patterns.some((pattern) => matches(pattern, name));
  return [
    ...file.imports.filter((path) => !isAllowed(allowed)(path)),
    ...file.packages.filter((name) => !isAllowed(row.packages)(name)),
    ...file.builtins.filter((name) => !isAllowed(row.builtins)(name)),
  ];
}

function matches(pattern: string, path: string): boolean {
  const expression = pattern
    .replaceAll(/[.]/g, "\\.")
    .replaceAll("**", "\0")
    .replaceAll("*", "[^/]*")
    .replaceAll("\0", ".*");
  return new RegExp(`^${expression}$`).test(path);
}
