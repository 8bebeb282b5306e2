import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { faultOfSecret } from "../config/secret.ts";
import { DataDirectoryUnusable } from "./data-directory.ts";
import { readIfThere, writePrivately } from "./files.ts";

export interface StoredSecret {
  readonly text: string;
  readonly file: string;
  /** Whether it was just created. */
  readonly isNew: boolean;
}

/**
 * The secret in the file `name` of `directory`, mode 600; created from 256 random bits when absent or empty.
 * @throws {DataDirectoryUnusable} when the file has another text, as after damage
 */
export async function storedSecret(directory: string, name: string): Promise<StoredSecret> {
  const file = join(directory, name);
  const existing = (await readIfThere(file))?.trim();
  if (existing) {
    const fault = faultOfSecret(existing);
    if (fault === null) return { text: existing, file, isNew: false };
    throw new DataDirectoryUnusable(`The secret in ${file} ${fault} Restore the file; or remove it for a new secret.`);
  }
  const text = randomBytes(32).toString("base64url");
  await writePrivately(file, `${text}\n`);
  return { text, file, isNew: true };
}

/** The credential of the embedded event store in a data directory. */
export async function eventStoreCredential(
  dataDirectory: string,
): Promise<{ readonly username: string; readonly password: string }> {
  const { text: password } = await storedSecret(dataDirectory, "event-store-password");
  return { username: "touchledger", password };
}

/** The secrets of an instance. `file` is null for one from the environment. */
export interface Secrets {
  readonly adminToken: { readonly text: string; readonly file: string | null; readonly isNew: boolean };
  readonly urlSigningKey: string;
}

/** Secrets from the environment, else from the data directory (contract/tokens.md#operators). */
export async function openSecrets(
  config: Pick<Config, "adminToken" | "urlSigningKey">,
  dataDirectory: string,
): Promise<Secrets> {
  const adminToken =
    config.adminToken === null
      ? await storedSecret(dataDirectory, "admin-token")
      : { text: config.adminToken, file: null, isNew: false };
  const urlSigningKey = config.urlSigningKey ?? (await storedSecret(dataDirectory, "url-signing-key")).text;
  return { adminToken, urlSigningKey };
}
