// time limit: 120 s
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followUpload, sendUpload } from "../../infra/api-client/uploads.ts";
import { csv, rightCells } from "../commands/uploads/csv-files.ts";
import { heavyFiles, oddFiles } from "../commands/uploads/hostile-examples.ts";
import { registerApp, runApplication, temporaryDirectory } from "../support/application-process.ts";

const endedWithinMs = 60_000;
const kindNames = { ad_spend: "ad_spend", legacy_cost: "legacy_cost", metric: "metric" } as const;

const test = suite("Hostile files, sent to a whole server");

test("are each answered and refused for what they are; nothing is left of them", async () => {
  const directory = await temporaryDirectory();
  const temporary = join(directory.path, "tmp");
  await mkdir(temporary);
  const application = await runApplication(join(directory.path, "data"), { TMPDIR: temporary });
  try {
    const { api } = await registerApp(application.operator);
    const owner = application.client(api);
    for (const file of [...heavyFiles, ...oddFiles]) {
      const kind = kindNames[file.kind];
      const content = new Uint8Array(await file.bytes());
      const sent = await sendUpload(owner, kind, { name: "hostile.csv", content });
      const { status, prevStatus, reason } = await followUpload(owner, kind, sent, { timeoutMs: endedWithinMs });
      assert.equal(
        { status, prevStatus, reason: JSON.parse(reason ?? "null") },
        { status: "failed", prevStatus: "uploaded", reason: file.reason },
        file.name,
      );
    }

    const good = csv([Object.keys(rightCells.metric), Object.values(rightCells.metric)]);
    const after = await sendUpload(owner, "metric", { name: "good.csv", content: good });
    assert.is((await followUpload(owner, "metric", after, { timeoutMs: endedWithinMs })).status, "succeeded");
    // What Node's loader of TypeScript keeps there is not of any file.
    assert.equal(
      (await readdir(temporary)).filter((name) => !name.startsWith("tsx-")),
      [],
    );
  } finally {
    await application.stop();
    await directory.remove();
  }
});

test.run();
