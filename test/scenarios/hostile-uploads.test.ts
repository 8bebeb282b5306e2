// time limit: 120 s
import { readdir } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followUpload, sendUpload } from "../../client/index.ts";
import { reasonOf } from "../../infra/http/i18n/messages.ts";
import { csv, validCells } from "../commands/uploads/csv-files.ts";
import { heavyFiles, oddFiles } from "../commands/uploads/hostile-examples.ts";
import { temporaryDirectory } from "../support/application-process.ts";
import { runShop } from "../support/running-shop.ts";

const endedWithinMs = 60_000;

const test = suite("Hostile files, sent to the application");

// That each heavy file is rejected within limits is tested in `test/commands/uploads/hostile-files.test.ts`.
test("are rejected with their faults; a valid file is ingested after them", async () => {
  const temporary = await temporaryDirectory();
  const { application, tokens, end } = await runShop({ TMPDIR: temporary.path });
  try {
    const owner = application.client(tokens.api);
    await Promise.all(
      [...heavyFiles.filter((_, index) => index % 4 === 3), ...oddFiles].map(async ({ name, kind, bytes, faults }) => {
        const sent = await sendUpload(owner, kind, { name: "hostile.csv", content: new Uint8Array(bytes()) });
        const { status, prevStatus, reason } = await followUpload(owner, kind, sent, { timeoutMs: endedWithinMs });
        assert.equal(
          { status, prevStatus, reason: JSON.parse(reason ?? "null") },
          { status: "failed", prevStatus: "uploaded", reason: reasonOf(faults, "en") },
          name,
        );
      }),
    );

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
    assert.equal(await readdir(temporary.path), []);
  } finally {
    await end();
    await temporary.remove();
  }
});

test.run();
