import { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { runStart } from "../../main.ts";
import { adminTokenText } from "../admin-token-text.ts";

/** `touchledger start`: everything that the environment's `ROLES` name, until a signal ends it. */
export function startCommand(): Command {
  return new Command("start").action(async () => {
    const config = readConfig(process.env);
    const { run, hasNewAdminToken } = await runStart(config);
    const place = config.roles.has("api")
      ? `at ${run.baseUrl}`
      : `without the API, with its health on port ${run.port},`;
    console.log(`Touchledger ${run.version} runs ${place} on ${config.dataDirectory}. Ctrl-C ends it.`);
    if (run.operationsUrl !== run.apiUrl) console.log(`Operations are at ${run.operationsUrl}.`);
    console.log(adminTokenText(run, hasNewAdminToken, process.stdout.isTTY === true));
  });
}
