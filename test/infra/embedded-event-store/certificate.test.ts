// time limit: 10 s
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { certificateOf } from "../../../infra/embedded-event-store/certificate.ts";

const certificates = suite("certificate of the embedded event store");
const directory = mkdtempSync(join(tmpdir(), "touchledger-certificate-"));
certificates.after(() => rmSync(directory, { recursive: true }));

/** Made by an earlier version: `CA:TRUE`, for localhost. */
const ofAnAuthority = `-----BEGIN CERTIFICATE-----
MIIBhTCCASqgAwIBAgIQAZuShG23lxKzS6nVVnDlGzAKBggqhkjOPQQDAjAiMSAw
HgYDVQQDDBd0b3VjaGxlZGdlciBldmVudCBzdG9yZTAiGA8yMDIwMDEwMTAwMDAw
MFoYDzk5OTkxMjMxMjM1OTU5WjAiMSAwHgYDVQQDDBd0b3VjaGxlZGdlciBldmVu
dCBzdG9yZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEO0/VHhjxraBEKe26v/
2FaUrIM6ydEYRA3WbrPwn2WIDQQ9F70ztKBreMG/sIawd1MRkwpKuRLlrc5a4Oqe
j/+jPjA8MAwGA1UdEwQFMAMBAf8wLAYDVR0RBCUwI4IJbG9jYWxob3N0hwR/AAAB
hxAAAAAAAAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0kAMEYCIQC6NsDNXezv8wV8
Ggb10TipZ/ZlA1ECRiUEU9TfASzTRAIhAMAG3V2slYpNevBbUweWB/sd/prhjvyR
URJSF+4V80z4
-----END CERTIFICATE-----
`;

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

certificates("replaces one of an authority", () => {
  const { file } = certificateOf(directory);
  writeFileSync(file, ofAnAuthority);
  const renewed = certificateOf(directory);
  const read = new X509Certificate(readFileSync(file));
  assert.equal([read.ca, read.checkPrivateKey(createPrivateKey(renewed.key))], [false, true]);
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
