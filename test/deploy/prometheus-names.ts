import { parser } from "@prometheus-io/lezer-promql";

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/** What `/metrics` answers: the labels of each sample, with the values that it has. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Added by Prometheus: the address of a process, the name of its scrape configuration, and whether it answers. */
const targetLabels = ["instance", "job"];
const ofPrometheus: readonly [string, ReadonlyMap<string, ReadonlySet<string>>] = ["up", new Map()];

/** Reads answers of `/metrics`: every name that has a sample or is declared, the parts of histograms too. */
export function samplesOf(...answers: readonly string[]): Samples {
  const samples = new Map([ofPrometheus]);
  for (const line of answers.flatMap((answer) => answer.split("\n"))) {
    const declared = /^# TYPE (\w+) (?:counter|gauge)$/.exec(line)?.[1];
    if (declared !== undefined && !samples.has(declared)) samples.set(declared, new Map());
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = new Map(samples.get(name));
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label, new Set([...(known.get(label) ?? []), value]));
    samples.set(name, known);
  }
  return samples;
}

/**
 * What is wrong with a PromQL expression, a sentence each: it does not parse, or names a metric, a label or, with `=`, a
 * value of a label that `samples` does not have. `shown` are labels that a text beside it shows of each result.
 */
export function unknownNames(expression: string, samples: Samples, shown: readonly string[] = []): readonly string[] {
  const top = parser.parse(expression.replaceAll("$__rate_interval", "5m")).topNode;
  const faults: string[] = [];
  const text = ({ from, to }: SyntaxNode): string => expression.replaceAll("$__rate_interval", "5m").slice(from, to);
  const labelsOf = (metric: string) => samples.get(metric) ?? new Map<string, ReadonlySet<string>>();
  const hasLabel = (metric: string, label: string): boolean =>
    targetLabels.includes(label) || labelsOf(metric).has(label);

  if (descendants(top, "⚠").length > 0) faults.push("is no PromQL");
  const selectors = descendants(top, "VectorSelector");
  for (const selector of selectors) {
    const metric = metricOf(selector, text);
    if (!samples.has(metric)) faults.push(`no metric ${metric}`);
    for (const matcher of descendants(selector, "UnquotedLabelMatcher")) {
      const [label = "", operator, quoted = ""] = children(matcher).map(text);
      const value = quoted.slice(1, -1);
      if (!hasLabel(metric, label)) faults.push(`${metric} has no label ${label}`);
      else if (operator === "=" && !targetLabels.includes(label) && !labelsOf(metric).get(label)?.has(value))
        faults.push(`no ${metric} with ${label}="${value}"`);
    }
  }
  for (const aggregate of descendants(top, "AggregateExpr")) {
    const metrics = descendants(aggregate, "VectorSelector").map((selector) => metricOf(selector, text));
    const modifier = children(aggregate).find(({ name }) => name === "AggregateModifier");
    for (const label of modifier === undefined ? [] : descendants(modifier, "LabelName").map(text))
      for (const metric of metrics) if (!hasLabel(metric, label)) faults.push(`${metric} has no label ${label}`);
  }
  const kept = keptLabels(top, samples, text);
  return [...faults, ...shown.filter((label) => !kept.has(label)).map((label) => `no result has the label ${label}`)];
}

/** The labels that results can have: those of an outermost aggregation, else those of the metrics. */
function keptLabels(top: SyntaxNode, samples: Samples, text: (node: SyntaxNode) => string): ReadonlySet<string> {
  const aggregate = descendants(top, "AggregateExpr").find((node) => descendants(node, "By").length > 0);
  const isAggregated = descendants(top, "AggregateExpr").length > 0;
  if (isAggregated) return new Set(aggregate === undefined ? [] : descendants(aggregate, "LabelName").map(text));
  const metrics = descendants(top, "VectorSelector").map((selector) => metricOf(selector, text));
  return new Set([...targetLabels, ...metrics.flatMap((metric) => [...(samples.get(metric)?.keys() ?? [])])]);
}

function metricOf(selector: SyntaxNode, text: (node: SyntaxNode) => string): string {
  const name = children(selector).find((child) => child.name === "Identifier");
  return name === undefined ? "without a name" : text(name);
}

function children(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** Outermost first. */
function descendants(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  return children(node).flatMap((child) => [...(child.name === name ? [child] : []), ...descendants(child, name)]);
}
