// time limit: 120 s
import { readdir } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followUpload, sendUpload } from "../../infra/api-client/uploads.ts";
import { reasonOf } from "../../infra/http/i18n/messages.ts";
import { csv, validCells } from "../commands/uploads/csv-files.ts";
import { heavyFiles, oddFiles } from "../commands/uploads/hostile-examples.ts";
import { temporaryDirectory } from "../support/application-process.ts";
import { runShop } from "../support/running-shop.ts";

const endedWithinMs = 60_000;

const test = suite("Hostile files, sent to the application");

test("are refused with their faults; a valid file is ingested after them", async () => {
  const temporary = await temporaryDirectory();
  const { application, tokens, end } = await runShop({ TMPDIR: temporary.path });
  try {
    const owner = application.client(tokens.api);
    // All of them are validated in test/commands/uploads/hostile-files.test.ts.
    for (const file of [...heavyFiles.slice(0, 1), ...oddFiles.slice(0, 1)]) {
      const { kind } = file;
      const content = new Uint8Array(await file.bytes());
      const sent = await sendUpload(owner, kind, { name: "hostile.csv", content });
      const { status, prevStatus, reason } = await followUpload(owner, kind, sent, { timeoutMs: endedWithinMs });
      assert.equal(
        { status, prevStatus, reason: JSON.parse(reason ?? "null") },
        { status: "failed", prevStatus: "uploaded", reason: reasonOf(file.faults, "en") },
        file.name,
      );
    }

    const good = csv([Object.keys(validCells.metric), Object.values(validCells.metric)]);
    const after = await sendUpload(owner, "metric", { name: "good.csv", content: good });
    assert.is((await followUpload(owner, "metric", after, { timeoutMs: endedWithinMs })).status, "succeeded");
    // Its file, its history and its rows are found in the same application.
    const uploads = "/admin/v1/apps/shop/uploads";
    const read = async (path: string): Promise<string> => {
      const headers = { authorization: `Bearer ${tokens.api}` };
      const response = await fetch(`${application.run.baseUrl}${uploads}${path}`, { headers });
      return response.text();
    };
    assert.is(await read(`/${after.requestId}/file`), good);
    const { data } = JSON.parse(await read(`/${after.requestId}/history`)) as { data: { events: { type: string }[] } };
    assert.equal(
      data.events.map(({ type }) => type),
      ["UploadReceived", "UploadValidated", "MetricRowsStaged", "UploadIngested", "UploadSucceeded"],
    );
    const before = `&asOf=${new Date(application.run.startedAt).toISOString()}`;
    for (const [query, rows] of [
      ["", 1],
      [before, 0],
    ] as const) {
      assert.is((await read(`/rows?kind=metric${query}`)).split("\r\n").length, rows + 2);
    }
    // What Node's loader of TypeScript keeps there is not of any file.
    assert.equal(
      (await readdir(temporary.path)).filter((name) => !name.startsWith("tsx-")),
      [],
    );
  } finally {
    await end();
    await temporary.remove();
  }
});

test.run();
