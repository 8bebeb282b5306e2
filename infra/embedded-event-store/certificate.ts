import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** In the directory of the store, from its first start on. */
export const certificateFile = "tls-certificate.pem";

interface Certificate {
  /** PEM, for the server. */
  readonly key: Buffer;
  /** PEM, for the server, and for clients to trust. */
  readonly certificate: Buffer;
  /** Path of the certificate: the `tlsCAFile` of a connection string. */
  readonly file: string;
}

/**
 * The store's certificate for `localhost`, `127.0.0.1` and `::1`, created once per data directory, and again where the
 * files are damaged. Clients send credentials only over TLS.
 */
export function certificateOf(directory: string): Certificate {
  const keyFile = join(directory, "tls-key.pem");
  const file = join(directory, certificateFile);
  if (!existsSync(file) || !existsSync(keyFile) || !belongTogether(readFileSync(file), readFileSync(keyFile))) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    // The certificate is removed first, so that a kill in between does not leave it with another key.
    rmSync(file, { force: true });
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    writeFileSync(`${file}.new`, selfSigned(privateKey, publicKey), { mode: 0o600 });
    // Atomic, in case the process is killed.
    renameSync(`${file}.new`, file);
  }
  return { key: readFileSync(keyFile), certificate: readFileSync(file), file };
}

/** Whether both can be read, and the key is that of the certificate. */
function belongTogether(certificate: Buffer, key: Buffer): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** An X.509 certificate (RFC 5280) in PEM that does not expire: it never leaves this machine. */
function selfSigned(privateKey: KeyObject, publicKey: KeyObject): string {
  const name = sequence(set(sequence(oid(commonName), tagged(0x0c, Buffer.from("touchledger event store")))));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    sequence(oid(ecdsaWithSha256)),
    name,
    sequence(tagged(0x18, Buffer.from("20200101000000Z")), tagged(0x18, Buffer.from("99991231235959Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        extension(basicConstraints, sequence()),
        extension(keyUsage, digitalSignature),
        extension(extendedKeyUsage, sequence(oid(serverAuthentication))),
        extension(alternativeNames, subjects()),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, sequence(oid(ecdsaWithSha256)), tagged(0x03, Buffer.concat([noUnusedBits, signature])));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const commonName = [0x55, 0x04, 0x03];
const basicConstraints = [0x55, 0x1d, 0x13];
const keyUsage = [0x55, 0x1d, 0x0f];
const extendedKeyUsage = [0x55, 0x1d, 0x25];
const serverAuthentication = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01];
const alternativeNames = [0x55, 0x1d, 0x11];
const ecdsaWithSha256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const digitalSignature = Buffer.from([0x03, 0x02, 0x07, 0x80]);
const noUnusedBits = Buffer.from([0]);

function subjects(): Buffer {
  return sequence(
    tagged(0x82, Buffer.from("localhost")),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
    tagged(0x87, Buffer.from([...Array<number>(15).fill(0), 1])),
  );
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(oid(id), tagged(0x04, value));
}

function oid(bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** Tag, length and content in DER. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
