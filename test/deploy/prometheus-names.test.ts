import { suite } from "uvu";
import * as assert from "uvu/assert";
import { samplesOf, unknownNames } from "./prometheus-names.ts";

const samples = samplesOf(`# TYPE requests histogram
requests_bucket{le="0.1",route="links",path="a\\"b"} 1
requests_count{route="links",path="a\\"b"} 1
# TYPE waiting gauge
waiting{group="facts"} 2
waiting{group="control"} 0
# TYPE lost_total counter
`);
const names = suite("Names in PromQL");

names("that /metrics has are known, as are those of Prometheus", () => {
  const expressions = [
    'max by (group) (waiting{group="facts", instance=~"$instance"}) > 60',
    'histogram_quantile(0.99, sum by (le, route) (rate(requests_bucket{route="links"}[$__rate_interval])))',
    "increase(lost_total[5m]) > 0",
    'up{job="touchledger"} == 0',
  ];
  assert.equal(
    expressions.map((expression) => unknownNames(expression, samples, [])),
    expressions.map(() => []),
  );
});

names("that it does not have are reported", () => {
  assert.equal(
    [
      unknownNames("rate(requests_sum[5m])", samples),
      unknownNames('waiting{grup="facts"}', samples),
      unknownNames('waiting{group="fact"}', samples),
      unknownNames("sum by (le, route) (waiting)", samples),
      unknownNames("sum(waiting", samples),
    ],
    [
      ["no metric requests_sum"],
      ["waiting has no label grup"],
      ['no waiting with group="fact"'],
      ["waiting has no label le", "waiting has no label route"],
      ["is no PromQL"],
    ],
  );
});

names("that a text shows are labels of the results", () => {
  const shown = (expression: string) => unknownNames(expression, samples, ["group", "instance"]);
  assert.equal(
    [shown("waiting > 1"), shown("sum by (group) (waiting)"), shown("max(waiting)"), shown("increase(lost_total[5m])")],
    [
      [],
      ["no result has the label instance"],
      ["no result has the label group", "no result has the label instance"],
      ["no result has the label group"],
    ],
  );
});

names.run();
