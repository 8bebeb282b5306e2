// time limit: 10 s
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certificateOf } from "../../../infra/embedded-event-store/certificate.ts";

const certificates = suite("certificate of the embedded event store");
const directory = mkdtempSync(join(tmpdir(), "touchledger-certificate-"));
certificates.after(() => rmSync(directory, { recursive: true }));

certificates("is a server's, not an authority's, and is reused", () => {
  const { certificate, key, file } = certificateOf(directory);
  const read = new X509Certificate(certificate);
  assert.equal(
    [read.ca, read.keyUsage, read.subjectAltName],
    [false, ["1.3.6.1.5.5.7.3.1"], "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"],
  );
  assert.ok(read.checkPrivateKey(createPrivateKey(key)));
  assert.ok(read.verify(read.publicKey));
  assert.equal(certificateOf(directory), { certificate, key, file });
});

for (const name of ["tls-key.pem", "tls-certificate.pem"]) {
  certificates(`replaces a damaged ${name}`, () => {
    certificateOf(directory);
    writeFileSync(join(directory, name), "damaged");
    const { certificate, key } = certificateOf(directory);
    assert.ok(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)));
  });
}

certificates.run();
