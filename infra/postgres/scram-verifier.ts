import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

const iterations = 4_096;

/**
 * What Postgres stores of a password (SCRAM-SHA-256, RFC 5803), and takes in its place: statements, which logs and traces
 * may have, then do not have the password.
 * @param password ASCII
 */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyOf = (name: string): Buffer => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${keyOf("Server Key").toString("base64")}`;
}
