import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  hashOfSecret,
  issuedSecret,
  SigningKeyChanged,
  secretsOf,
  secretText,
  signatureOf,
} from "../../../commands/webhooks/signature.ts";

/** From the test suite of Standard Webhooks. */
const published = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

const signing = suite("the signature of a webhook");

signing("is the one that Standard Webhooks publishes", () => {
  const { secret, id, timestamp, body, signature } = published;
  assert.is(signatureOf([secret], id, timestamp, body), signature);
});

signing("is one for each secret, separated by a space", () => {
  const { secret, id, timestamp, body, signature } = published;
  const [first, second, ...others] = signatureOf([secretText("key", "a", "b"), secret], id, timestamp, body).split(" ");
  assert.equal([second, others], [signature, []]);
  assert.match(first ?? "", /^v1,[\w+/]{43}=$/);
  assert.is.not(first, second);
});

signing("has secrets of 32 bytes, each of its webhook, its id and the key", () => {
  const texts = [
    ["key", "a", "b"],
    ["key", "a", "c"],
    ["key", "c", "b"],
    ["other", "a", "b"],
  ].map(([key = "", webhookId = "", secretId = ""]) => secretText(key, webhookId, secretId));
  assert.is(new Set(texts).size, 4);
  for (const text of texts) {
    assert.ok(text.startsWith("whsec_"));
    assert.is(Buffer.from(text.slice(6), "base64").length, 32);
  }
});

signing("is refused with a secret that was made with another key", () => {
  const text = secretText("key", "a", "b");
  const secret = { secretId: "b", secretHash: hashOfSecret(text) };
  assert.is(issuedSecret("key", "a", secret), text);
  assert.throws(
    () => issuedSecret("other", "a", secret),
    (failure: unknown) => failure instanceof SigningKeyChanged,
  );
});

signing("uses the secret before until its time is over, and leaves out one that was made with another key", () => {
  const until = new Date("2026-11-26T00:00:00Z");
  const before = new Date(until.getTime() - 1);
  const secretOf = (key: string, secretId: string) => ({
    secretId,
    secretHash: hashOfSecret(secretText(key, "a", secretId)),
  });
  const rotated = (previousKey: string) => {
    const { secretId: previousSecretId, secretHash: previousSecretHash } = secretOf(previousKey, "old");
    return { webhookId: "a", ...secretOf("key", "new"), previousSecretId, previousSecretHash, previousUntil: until };
  };
  const [current, previous] = [secretText("key", "a", "new"), secretText("key", "a", "old")];
  assert.equal(secretsOf("key", rotated("key"), before), [current, previous]);
  assert.equal(secretsOf("key", rotated("key"), until), [current]);
  assert.equal(secretsOf("key", rotated("another key"), before), [current]);
  assert.throws(
    () => secretsOf("another key", rotated("another key"), before),
    (failure: unknown) => failure instanceof SigningKeyChanged,
  );
});

signing.run();
