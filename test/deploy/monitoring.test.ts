// time limit: 120 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { callContext } from "../scenarios/context-calls.ts";
import { runSeparateStore } from "../scenarios/separate-store.ts";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../support/application-process.ts";
import { root } from "../support/paths.ts";
import { startReceiver } from "../support/webhook-receiver.ts";
import { type Samples, samplesOf, unknownNames } from "./prometheus-names.ts";

type World = Awaited<ReturnType<typeof given>>;
const monitoring = suite<World>("What watches a deployment");
monitoring.before(async (world) => {
  Object.assign(world, await given());
});
monitoring.after((world) => world.end());

monitoring("the panels name metrics and labels that its processes have", ({ samples }) => {
  const { panels, templating } = JSON.parse(read("deploy/grafana/touchledger.json")) as Dashboard;
  const shown = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      title,
      expression: expr,
      labels: labelsIn(legendFormat, /{{(\w+)}}/g),
    })),
  );
  const queries = templating.list.flatMap(({ type, name, query }) => {
    const [, expression = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
    return type === "query" ? [{ title: `$${name}`, expression, labels: [label] }] : [];
  });
  assert.ok(shown.length > 15 && queries.length > 0);
  assert.equal(faultsOf([...shown, ...queries], samples), []);
});

monitoring("the alerts name metrics and labels that its processes have", ({ samples }) => {
  const { groups } = parse(read("deploy/prometheus/alerts.yml")) as Alerts;
  const alerts = groups.flatMap(({ rules }) => rules);
  assert.ok(alerts.length > 10);
  assert.equal(
    faultsOf(
      alerts.map(({ alert, expr, annotations }) => ({
        title: alert,
        expression: expr,
        labels: labelsIn(annotations.summary, /\$labels\.(\w+)/g),
      })),
      samples,
    ),
    [],
  );
});

monitoring(
  "docs/metrics.md has each metric of the processes, with its type, labels and roles, and no other",
  ({ answers, samples }) => {
    const described = [...read("docs/metrics.md").matchAll(/^\| `(\w+)` (.*)$/gm)].map(([, name = "", cells = ""]) => {
      const [, type, unit, labels = "", roles, meaning] = cells.split("|").map((cell) => cell.trim());
      assert.ok(unit !== "" && meaning !== "", name);
      return { name, type, labels: labelsIn(labels, /`(\w+)`/g), roles };
    });
    const roles = Object.keys(answers);
    const declared = new Map<string, { readonly type: string; readonly roles: string[] }>();
    for (const [role, answer] of Object.entries(answers)) {
      for (const [, name = "", type = ""] of answer.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
        const known = declared.get(name) ?? { type, roles: [] };
        known.roles.push(role);
        declared.set(name, known);
      }
    }
    const labelsOf = (name: string, type: string): readonly string[] => {
      const sample = samples.get(type === "histogram" ? `${name}_count` : name) ?? new Map();
      return [...sample.keys()];
    };
    assert.equal(roles, ["api", "worker"]);
    assert.equal(
      described.map(({ name, type, roles }) => `${name}: ${type} of ${roles}`).sort(),
      [...declared].map(([name, { type, roles }]) => `${name}: ${type} of ${roles.join(", ")}`).sort(),
    );
    for (const { name, type = "", labels } of described) {
      const found = labelsOf(name, type);
      // Operations may be in progress when it is read, or not.
      if (name !== "nodejs_active_requests" || found.length > 0)
        assert.equal([...labels].sort(), [...found].sort(), name);
    }
  },
);

monitoring.run();

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly type: string; readonly name: string; readonly query: string }[];
  };
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly action: string };
    }[];
  }[];
}

interface Expression {
  readonly title: string;
  readonly expression: string;
  readonly labels: readonly string[];
}

function faultsOf(expressions: readonly Expression[], samples: Samples): readonly string[] {
  return expressions.flatMap(({ title, expression, labels }) =>
    unknownNames(expression, samples, labels).map((fault) => `${title}: ${fault}`),
  );
}

function labelsIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, label = ""]) => label);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** What `/metrics` of an API process and of a worker have, after at least one of each thing that a label tells apart. */
async function given() {
  const separate = await runSeparateStore();
  const receiver = await startReceiver();
  const directories = await Promise.all([temporaryDirectory(), temporaryDirectory()]);
  const shared = { ...separate.environment, URL_SIGNING_KEY: "0".repeat(32), WEBHOOK_PRIVATE_NETWORKS: "true" };
  const start = (index: 0 | 1, ROLES: string): Promise<RunningApplication> =>
    runApplication(directories[index].path, { ...shared, ROLES });
  const [api, worker] = await Promise.all([start(0, "api"), start(1, "worker")]);
  const tokens = await registerApp(api.operator);
  const owner = api.client(tokens.api);
  const webhook = { url: receiver.url, types: ["attribution.decided"] };
  const created = await owner.send("POST", "/admin/v1/apps/shop/webhooks", webhook);
  const { id } = (created as { data: { webhook: { id: string } } }).data.webhook;
  await owner.send("POST", `/admin/v1/apps/shop/webhooks/${id}/test`);
  await callContext(api, "unknown", {});
  await (await fetch(`${api.run.baseUrl}/l/unknown`)).arrayBuffer();

  const metrics = async ({ run }: RunningApplication) => (await fetch(`${run.operationsUrl}/metrics`)).text();
  const deadline = Date.now() + 30_000;
  const answers = async () => Promise.all([api, worker].map(metrics));
  while (!(await answers()).join().includes("webhook_requests_total{") && Date.now() < deadline) await pause(50);
  const [ofApi, ofWorker] = await Promise.all([metrics(api), metrics(worker)]);
  return {
    answers: { api: ofApi, worker: ofWorker },
    samples: samplesOf(ofApi, ofWorker),
    end: async () => {
      await Promise.all([api.stop(), worker.stop()]);
      await Promise.all([separate.end(), receiver.close(), ...directories.map(({ remove }) => remove())]);
    },
  };
}
