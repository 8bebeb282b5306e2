import { suite } from "uvu";
import * as assert from "uvu/assert";
import { adminTokenText } from "../../../infra/cli/admin-token-text.ts";
import type { RunFile } from "../../../infra/data-directory/run-file.ts";

const run = {
  baseUrl: "http://localhost:8080",
  operationsUrl: "http://localhost:8081",
  adminToken: "secret",
  adminTokenFile: "/data/admin-token",
} as RunFile;

const test = suite("what start prints of the admin token");

test("is the token when it is new and standard output is a terminal", () => {
  assert.match(adminTokenText(run, true, true), "\n  secret\n");
});

test("comes with a call of the operations' address", () => {
  assert.match(adminTokenText(run, true, true), "http://localhost:8081/admin/v1/apps");
});

test("is its file when standard output is no terminal, or the token is not new", () => {
  const file = "The admin token is in /data/admin-token.";
  assert.equal([adminTokenText(run, true, false), adminTokenText(run, false, true)], [file, file]);
});

test("is the variable that it comes from", () => {
  assert.is(adminTokenText({ ...run, adminTokenFile: null }, false, true), "The admin token is that of ADMIN_TOKEN.");
});

test.run();
