import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { readIfThere, writePrivately } from "./files.ts";

export interface KeptSecret {
  readonly text: string;
  readonly file: string;
  /** True when it was made just now: the one time to show it. */
  readonly isNew: boolean;
}

/** The secret that `directory` keeps under `name`, mode 600; made, with 256 random bits, when there is none. */
export async function keptSecret(directory: string, name: string): Promise<KeptSecret> {
  const file = join(directory, name);
  const kept = (await readIfThere(file))?.trim();
  if (kept) return { text: kept, file, isNew: false };
  const text = randomBytes(32).toString("base64url");
  await writePrivately(file, `${text}\n`);
  return { text, file, isNew: true };
}

/** The secrets of a running instance. `file` is null when the environment states the secret. */
export interface Secrets {
  readonly adminToken: { readonly text: string; readonly file: string | null; readonly isNew: boolean };
  readonly urlSigningKey: string;
}

/** Those of the environment, else those that the data directory keeps (contract/tokens.md#operators). */
export async function openSecrets(
  config: Pick<Config, "adminToken" | "urlSigningKey">,
  dataDirectory: string,
): Promise<Secrets> {
  const adminToken =
    config.adminToken === null
      ? await keptSecret(dataDirectory, "admin-token")
      : { text: config.adminToken, file: null, isNew: false };
  const urlSigningKey = config.urlSigningKey ?? (await keptSecret(dataDirectory, "url-signing-key")).text;
  return { adminToken, urlSigningKey };
}
