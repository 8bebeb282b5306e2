import { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { runStart } from "../../main.ts";

/** `touchledger start`: everything that the environment's `ROLES` name, until a signal ends it. */
export function startCommand(): Command {
  return new Command("start")
    .description("start Touchledger on DATA_DIR (default ./data) and keep it running")
    .action(async () => {
      const config = readConfig(process.env);
      const { run, hasNewAdminToken } = await runStart(config);
      console.log(`Touchledger ${run.version} runs at ${run.baseUrl} on ${config.dataDirectory}. Ctrl-C ends it.`);
      if (!hasNewAdminToken) {
        console.log(`The admin token is ${run.adminTokenFile === null ? "ADMIN_TOKEN" : `in ${run.adminTokenFile}`}.`);
        return;
      }
      console.log(`
An admin token was made for this data directory. It is shown this once, and kept in ${run.adminTokenFile}:
  ${run.adminToken}

Register an app with it:
  curl -X POST ${run.baseUrl}/admin/v1/apps -H 'Authorization: Bearer ${run.adminToken}' \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"my_app","timezone":"UTC","currency":"USD","ownerEmail":"owner@example.com"}'`);
    });
}
