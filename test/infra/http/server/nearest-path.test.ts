import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nearestPathOf } from "../../../../infra/http/server/nearest-path.ts";
import { everyOpenEndpoint, everyRoute } from "../../../support/every-route.ts";

const nearestPath = nearestPathOf([...everyRoute, ...everyOpenEndpoint].map(({ path }) => path));

const test = suite("the path nearest to an unknown one");

test("is one of a route, or one that takes no token", () => {
  assert.is(nearestPath("/dataspec/v2/apps/shop/value"), "/dataspec/v2/apps/shop/values");
  assert.is(nearestPath("/openapi.jsn"), "/openapi.json");
  assert.is(nearestPath("/"), null);
});

test("is not searched at length for a path of as many segments as no known one has", () => {
  const many = "/x".repeat(128);
  const cpu = process.cpuUsage();
  for (let call = 0; call < 1_000; call += 1) assert.is(nearestPath(many), null);
  const ms = process.cpuUsage(cpu).user / 1_000;
  assert.ok(ms < 500, `${ms} ms for 1,000 paths`);
});

test.run();
