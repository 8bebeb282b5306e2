import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const program = `
  import { openLog } from ${JSON.stringify(new URL("../../../infra/process/log.js", import.meta.url).href)};
  const failure = Object.assign(new Error("no connection"), { sql: "select $1", bindings: ["a-secret-device"] });
  openLog("info").error({ err: failure, req: { headers: { authorization: "Bearer a-secret-token" } } }, "failed");
`;

const logging = suite("the log");

logging("holds neither tokens nor the values of statements that got no connection", async () => {
  const words = ["--input-type=module", "--eval", program];
  const { stderr } = await promisify(execFile)(process.execPath, words);
  const { err, req } = JSON.parse(stderr);
  assert.equal([err.message, err.sql, err.bindings], ["no connection", "select $1", "[Redacted]"]);
  assert.equal(req.headers.authorization, "[Redacted]");
});

logging.run();
