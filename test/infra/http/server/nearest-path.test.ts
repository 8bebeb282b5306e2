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

test("is null where a parameter of the path is empty alone", () => {
  assert.is(nearestPath("/events/v1/apps/shop/devices/"), null);
});

test("is null for a path of as many segments as no known one has", () => {
  assert.is(nearestPath("/x".repeat(128)), null);
});

test.run();
