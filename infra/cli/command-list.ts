import type { Command } from "commander";

/** A command of the program. It is loaded only when it is run, as `start` loads nearly everything. */
interface NamedCommand {
  readonly description: string;
  load(): Promise<Command>;
}

/** By name, in the order of the help. */
export const commands: { readonly [name: string]: NamedCommand } = {
  report: {
    description: "request reports from a running instance",
    load: async () => (await import("./commands/report.ts")).reportCommand(),
  },
  start: {
    description: "start Touchledger on DATA_DIR (default ./data) and keep it running",
    load: async () => (await import("./commands/start.ts")).startCommand(),
  },
  demo: {
    description: "boot in a fresh temporary directory, push 30 simulated days through the API, print a checked report",
    load: async () => (await import("./commands/demo.ts")).demoCommand(),
  },
  "event-store": {
    description: "run the embedded event store of DATA_DIR alone, on loopback, until a signal ends it",
    load: async () => (await import("./commands/event-store.ts")).eventStoreCommand(),
  },
  projection: {
    description: "show and rebuild read models, retry or skip parked events",
    load: async () => (await import("./commands/projection.ts")).projectionCommand(),
  },
  train: {
    description: "train both prediction models of an app on the event log and write them as a bundle",
    load: async () => (await import("./commands/train.ts")).trainCommand(),
  },
  bundle: {
    description: "register, list, activate and retire model bundles of a running instance",
    load: async () => (await import("./commands/bundle.ts")).bundleCommand(),
  },
  "conversion-values": {
    description: "show what the conversion values of an app mean and meant, on a running instance",
    load: async () => (await import("./commands/conversion-values.ts")).conversionValuesCommand(),
  },
  upload: {
    description: "send a CSV file to a running instance",
    load: async () => (await import("./commands/upload.ts")).uploadCommand(),
  },
  export: {
    description: "request an export of single events and download its file",
    load: async () => (await import("./commands/export.ts")).exportCommand(),
  },
  "sql-role": {
    description: "create and drop roles that read the SQL views, for tools such as Metabase and Grafana",
    load: async () => (await import("./commands/sql-role.ts")).sqlRoleCommand(),
  },
  verify: {
    description: "replay the event log and compare every row of every read model with the result",
    load: async () => (await import("./commands/verify.ts")).verifyCommand(),
  },
  log: {
    description: "copy the event log to another event store, or take over streams from an instance that is gone",
    load: async () => (await import("./commands/log.ts")).logCommand(),
  },
  audit: {
    description: "print what was done by a request, or about an upload, a task or a link, and by whom",
    load: async () => (await import("./commands/audit.ts")).auditCommand(),
  },
  backup: {
    description: "copy the event log of DATA_DIR to a new directory, also while an instance runs",
    load: async () => (await import("./commands/backup.ts")).backupCommand(),
  },
  restore: {
    description: "check a backup, and make it the event log of a DATA_DIR that has none",
    load: async () => (await import("./commands/backup.ts")).restoreCommand(),
  },
};
