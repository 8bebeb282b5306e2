import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Reply } from "../../../infra/http/routing/route.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import { streamedJson } from "../../../read-api/report-tasks/json-text.ts";
import { limitLargeResponses, type RespondWithRows } from "../../../read-api/report-tasks/large-responses.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";

const taskId = exampleUuid("report", 1);
const large = 1_000_001;

/** A result with cells of so many characters. */
function resultOf(length: number): StoredResults {
  const rows = [{ groupBys: [], cells: "1".repeat(length) }];
  return {
    hashOf: async () => null,
    requestRows: async () => undefined,
    page: async () => ({ rows, totalCount: 1 }),
    all: async function* () {
      yield rows;
    },
    longestChunk: async () => length,
    total: async () => null,
    row: async () => null,
  };
}

async function* twoPieces(): AsyncGenerator<string> {
  yield "1";
  yield "2";
}

const page = async (results: StoredResults): Promise<Reply> => {
  await results.page(taskId, 1, { skip: 0, size: 1, keyword: "" });
  return streamedJson(twoPieces());
};
const whole = async (results: StoredResults): Promise<Reply> => {
  results.all({ taskId, rowCount: 1 });
  return streamedJson(twoPieces());
};

/** Begins to read a response; returns how to end it, or the code of the problem. */
async function begun(reply: Reply): Promise<string | (() => Promise<unknown>)> {
  if (reply.kind !== "streamed") return reply.kind === "problem" ? reply.problem.code : reply.kind;
  const pieces = reply.pieces[Symbol.asyncIterator]();
  await pieces.next();
  return async () => pieces.return?.();
}

async function codesOf(respond: RespondWithRows, apps: readonly number[], read = page) {
  const replies = [];
  for (const appId of apps) replies.push(await begun(await respond(appId, taskId, read)));
  return replies.map((reply) => (typeof reply === "string" ? reply : "sent"));
}

const limit = suite("large responses of reports");

for (const [what, read] of [
  ["pages", page],
  ["files", whole],
] as const) {
  limit(`are four ${what} at the same time, two of one app`, async () => {
    const refused = "OVERLOADED.large_reports";
    assert.equal(await codesOf(limitLargeResponses(resultOf(large)), [1, 1, 1, 2, 2, 3], read), [
      ...["sent", "sent", refused],
      ...["sent", "sent", refused],
    ]);
    assert.equal(
      await codesOf(limitLargeResponses(resultOf(large - 1)), [1, 1, 1, 2, 2, 3], read),
      Array(6).fill("sent"),
    );
  });
}

limit("leave their place when they end, are given up, or fail", async () => {
  const respond = limitLargeResponses(resultOf(large));
  const failing = async (results: StoredResults): Promise<Reply> => {
    await page(results);
    return streamedJson(failingPieces());
  };
  for (let round = 0; round < 3; round += 1) {
    const ended = await respond(1, taskId, page);
    if (ended.kind === "streamed") for await (const _ of ended.pieces);
    const givenUp = await begun(await respond(1, taskId, page));
    assert.type(givenUp, "function");
    if (typeof givenUp === "function") await givenUp();
    assert.is(await begun(await respond(1, taskId, failing)).catch(String), "Error: lost");
  }
});

async function* failingPieces(): AsyncGenerator<string> {
  yield await Promise.reject(new Error("lost"));
}

limit.run();
