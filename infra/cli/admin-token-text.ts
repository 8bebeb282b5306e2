import type { RunFile } from "../data-directory/run-file.ts";

/**
 * What `touchledger start` prints about the admin token: the token itself only when it is new and the output is a
 * terminal, otherwise where it is stored, as standard output may be a log.
 */
export function adminTokenText(run: RunFile, isNew: boolean, isTerminal: boolean): string {
  const { operationsUrl, adminToken, adminTokenFile } = run;
  if (!isNew || !isTerminal)
    return `The admin token is ${adminTokenFile === null ? "that of ADMIN_TOKEN" : `in ${adminTokenFile}`}.`;
  return `
An admin token was made for this data directory. It is shown this once, and kept in ${adminTokenFile}:
  ${adminToken}

Register an app with it:
  curl -X POST ${operationsUrl}/admin/v1/apps -H 'Authorization: Bearer ${adminToken}' \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"my_app","timezone":"UTC","currency":"USD","ownerEmail":"owner@example.com"}'`;
}
