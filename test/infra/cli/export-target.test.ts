import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkExportFile, openExportFile, streamTarget } from "../../../infra/cli/export-target.ts";
import { sha256Of } from "../../client/export-server.ts";

let directory: string;
let path: string;
const test = suite("targets of exports");
test.before.each(async () => {
  directory = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  path = join(directory, "rows.csv");
});
test.after.each(() => rm(directory, { recursive: true }));

const failureOf = (work: Promise<unknown>): Promise<string> => work.then(() => "", String);

test("a file gets its name once it is whole", async () => {
  const target = await openExportFile(path, 7, false);
  await target.write(Buffer.from("one,"));
  await target.write(Buffer.from("two"));
  assert.equal([target.size(), await target.sha256()], [7, sha256Of("one,two")]);
  assert.equal(await readdir(directory), ["rows.csv.7.part"]);
  await target.finish();
  assert.equal(await readdir(directory), ["rows.csv"]);
  assert.is(await readFile(path, "utf8"), "one,two");
});

test("received bytes are kept for the next download, unless there are none", async () => {
  const first = await openExportFile(path, 7, false);
  await first.write(Buffer.from("one,"));
  await first.close();
  const second = await openExportFile(path, 7, false);
  assert.is(second.size(), 4);
  await second.clear?.();
  await second.close();
  assert.equal(await readdir(directory), []);
});

test("a file is only replaced when allowed, also when it was created meanwhile", async () => {
  const [refused, forced] = [await openExportFile(path, 7, false), await openExportFile(path, 8, true)];
  await writeFile(path, "mine");
  const exists = `FileUnusable: ${path} exists already; give --force to replace it.`;
  assert.is(await failureOf(refused.finish()), exists);
  assert.is(await failureOf(checkExportFile(path, false)), exists);
  assert.is(await readFile(path, "utf8"), "mine");
  await forced.finish();
  assert.is(await readFile(path, "utf8"), "");
});

test("says why a file cannot be written", async () => {
  const missing = join(directory, "missing");
  const file = join(directory, "file");
  await writeFile(file, "");
  await mkdir(path);
  const link = join(directory, "link");
  await symlink(file, link);
  assert.equal(
    [
      await failureOf(checkExportFile("", true)),
      await failureOf(checkExportFile(link, true)),
      await failureOf(checkExportFile(join(missing, "rows.csv"), false)),
      await failureOf(checkExportFile(join(file, "rows.csv"), false)),
      await failureOf(checkExportFile(path, true)),
      await failureOf(checkExportFile("/dev/null", true)),
    ],
    [
      "FileUnusable: --out is empty. Name a file, or - for standard output.",
      `FileUnusable: ${link} is not a file.`,
      `FileUnusable: ${missing} does not exist.`,
      `FileUnusable: ${file} is not a directory.`,
      `FileUnusable: ${path} is not a file.`,
      "FileUnusable: /dev/null is not a file.",
    ],
  );
});

// The superuser may write everywhere.
if (process.getuid?.() !== 0) {
  test("says when a directory is not writable", async () => {
    await chmod(directory, 0o555);
    const message = `FileUnusable: ${directory} may not be written.`;
    assert.is(await failureOf(checkExportFile(path, false)), message);
    await chmod(directory, 0o755);
  });
}

// A device that is always full.
if (process.platform === "linux") {
  test("says when the disk is full", async () => {
    const part = `${path}.7.part`;
    await symlink("/dev/full", part);
    const target = await openExportFile(path, 7, false);
    const message = `FileUnusable: ${part} cannot grow: there is no space left on the disk.`;
    assert.is(await failureOf(target.write(Buffer.from("one,"))), message);
    assert.is(target.size(), 0);
    await target.close();
  });
}

test("a stream applies back-pressure, and cannot be cleared", async () => {
  const released: (() => void)[] = [];
  const slow = new Writable({ write: (_piece, _encoding, done) => void released.push(done) });
  const target = streamTarget(slow);
  const writing = target.write(Buffer.from("one,"));
  assert.is(target.size(), 0);
  released[0]?.();
  await writing;
  assert.equal([target.size(), await target.sha256(), target.clear], [4, sha256Of("one,"), null]);
});

test("says when a stream is closed", async () => {
  const closed = new Writable({
    write: (_piece, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
  });
  const message = "FileUnusable: Standard output was closed before the end.";
  assert.is(await failureOf(streamTarget(closed).write(Buffer.from("one,"))), message);
});

test.run();
