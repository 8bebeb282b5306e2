import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createSecurityLog, type SecurityEvent } from "../../../infra/process/security-log.ts";

const refused: SecurityEvent = {
  event: "token_refused",
  requestId: "request",
  address: "192.0.2.1",
  method: "GET",
  path: "/reports/:id",
  status: 401,
  caller: null,
  tokenId: null,
  app: null,
};

function recordingLog() {
  const lines: object[] = [];
  const windows: (() => void)[] = [];
  const write = (line: object): void => void lines.push(line);
  const secured = createSecurityLog({ info: write, warn: write } as never, (work) => void windows.push(work));
  return { lines, secured, endSecond: () => windows.splice(0).forEach((work) => void work()) };
}

const test = suite("the security log");

for (const many of [9, 10]) {
  test(`has all of ${many} events of a kind in a second`, () => {
    const { lines, secured, endSecond } = recordingLog();
    for (let at = 0; at < many; at++) secured(refused);
    endSecond();
    assert.is(lines.length, many);
  });
}

test("leaves out the eleventh, counts it, and begins again in the next second", () => {
  const { lines, secured, endSecond } = recordingLog();
  for (let at = 0; at < 11; at++) secured(refused);
  endSecond();
  assert.equal(lines.slice(10), [{ security: "token_refused", leftOut: 1 }]);
  secured(refused);
  assert.is(lines.length, 12);
});

test("has an admin call although refused calls were left out", () => {
  const { lines, secured } = recordingLog();
  for (let at = 0; at < 20; at++) secured(refused);
  secured({ ...refused, event: "admin_call" });
  assert.is(lines.length, 11);
});

test.run();
