import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLogUnavailable } from "../../../../infra/event-log/event-log.ts";
import { problemOfFailure } from "../../../../infra/http/response/problem-of-failure.ts";

const failures = suite("a failure is answered");

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error("whatever"), { code, ...more });
const rows: readonly (readonly [string, unknown, number])[] = [
  ["503 when the event store is away", new EventLogUnavailable("no answer"), 503],
  ["503 when Postgres refuses connections", withCode("ECONNREFUSED"), 503],
  ["503 when its socket is not there", withCode("ENOENT", { syscall: "connect" }), 503],
  ["503 when it is shutting down", withCode("57P01"), 503],
  ["503 when a statement took too long", withCode("57014"), 503],
  ["503 when it accepts no connection in time", new Error("timeout expired"), 503],
  ["503 when it does not answer in time", new Error("select 1 - Query read timeout"), 503],
  ["503 when it has gone", new Error("select 1 - Connection terminated unexpectedly"), 503],
  ["503 when it has gone before", new Error("select 1 - Client was closed and is not queryable"), 503],
  ["503 when all connections are taken", Object.assign(new Error("none"), { name: "KnexTimeoutError" }), 503],
  ["500 when a file is not there", withCode("ENOENT", { syscall: "open" }), 500],
  ["500 when a statement is wrong", withCode("42601"), 500],
  ["500 when a statement only speaks of a time-out", new Error("select 'timeout expired' - no such column"), 500],
  ["500 for whatever else is thrown", "Connection terminated", 500],
];

for (const [what, failure, status] of rows) {
  failures(what, () => {
    assert.is(problemOfFailure(failure).status, status);
  });
}

failures.run();
