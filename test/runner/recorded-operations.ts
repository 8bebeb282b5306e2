import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The operations of the API that the processes of a run have seen succeed. */
interface RecordedOperations {
  readonly environment: NodeJS.ProcessEnv;
  /** The operations that `GET /openapi.json` lists and no process has seen; `test/run.ts` fails a whole run for each. */
  unseen(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export async function recordedOperations(): Promise<RecordedOperations> {
  const folder = await mkdtemp(join(tmpdir(), "touchledger-operations-"));
  const file = join(folder, "seen");
  return {
    environment: { TEST_OPERATIONS_FILE: file },
    unseen: async () => {
      // Only a whole run needs the routes.
      const { operationNames } = await import("../support/documented-responses.ts");
      const seen = new Set((await readFile(file, "utf8").catch(() => "")).split("\n"));
      return operationNames.filter((name) => !seen.has(name));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
