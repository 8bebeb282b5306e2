// time limit: 60 s
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import packageJson from "#package.json" with { type: "json" };
import { localDate } from "../../domain/values/local-time.ts";
import { type Config, readConfig } from "../../infra/config/config.ts";
import { stopMs } from "../../infra/process/lifecycle.ts";
import { runSeparateStore } from "../scenarios/separate-store.ts";
import { registerApp, runApplication, temporaryDirectory } from "../support/application-process.ts";
import { root } from "../support/paths.ts";

type Environment = Readonly<Record<string, string>>;

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly init?: boolean;
  readonly stop_grace_period: string;
  readonly environment: Environment;
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: unknown;
}

interface Network {
  readonly enable_ipv6?: boolean;
  readonly ipam: { readonly config: readonly { readonly subnet: string }[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, Network>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** What an operator sets. */
const configured: Environment = {
  ADMIN_TOKEN: "0123456789abcdef0123456789abcdef",
  URL_SIGNING_KEY: "fedcba9876543210fedcba9876543210",
  POSTGRES_PASSWORD: "letters1",
  API_HOST: "api.example",
  LINK_HOST: "links.example",
};

/** As `docker compose` reads it: with its variables in place. */
function compose(path: string): Compose {
  const text = read(path).replaceAll(
    /\$\{(\w+)(?::\?[^}]*)?\}/g,
    (_, name: string) => configured[name] ?? `no ${name}`,
  );
  return parse(text, { merge: true, uniqueKeys: true }) as Compose;
}

const secondsOf = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]);
const isOurs = ({ image }: Service): boolean => image === "touchledger";
const configOf = ({ environment }: Service): Config => readConfig({ NODE_ENV: "production", ...environment });
const start = packageJson.scripts.start.replace(/^exec /, "");

const files = suite("the files of a deployment");

for (const [path, roles] of [
  ["deploy/compose.yml", ["api,event-store,worker"]],
  ["deploy/compose.cluster.yml", ["api", "api", "worker", "worker"]],
] as const) {
  files(`${path} gives each of its processes an init, which reaps orphans`, () => {
    const ours = Object.values(compose(path).services).filter(isOurs);
    assert.equal(
      ours.map(({ init }) => init),
      roles.map(() => true),
    );
  });

  files(`${path} gives each of its processes the time that it may take to stop`, () => {
    const ours = Object.values(compose(path).services).filter(isOurs);
    for (const { stop_grace_period } of ours) assert.ok(secondsOf(stop_grace_period) * 1_000 > stopMs);
  });

  files(`${path} starts its processes once the stores are healthy`, () => {
    const services = Object.entries(compose(path).services);
    const stores = services.filter(([name]) => name.startsWith("event-store") || name === "postgres");
    const healthy = Object.fromEntries(stores.map(([name]) => [name, { condition: "service_healthy" }]));
    for (const [, { depends_on }] of services.filter(([, service]) => isOurs(service))) {
      assert.equal(depends_on, healthy);
    }
    const hasCheck = ({ image, healthcheck }: Service) => healthcheck !== undefined || image.includes("kurrentdb");
    assert.equal(
      stores.filter(([, store]) => !hasCheck(store)),
      [],
      "the image of KurrentDB has a check of its own",
    );
  });

  files(`${path} configures processes that start, and names what it has`, () => {
    const { services, networks, volumes } = compose(path);
    const all = Object.values(services);
    const configs = all.filter(isOurs).map(configOf);
    assert.equal(
      configs.map((config) => [...config.roles].sort().join()),
      roles,
    );
    for (const { image, build, ...service } of all) {
      assert.ok(build !== undefined || /^[\w/-]+:\d+(\.\d+)*$/.test(image), `${image} has a version`);
      assert.equal(
        service.networks.filter((name) => networks[name] === undefined),
        [],
      );
      const kept = service.volumes.map((volume) => volume.split(":")[0] ?? "");
      assert.equal(
        kept.filter((name) => !(name in volumes) && !existsSync(join(root, "deploy", name))),
        [],
      );
    }
    const claimed = all.flatMap((service) => service.volumes).filter((volume) => !volume.startsWith("."));
    assert.equal(claimed.length, Object.keys(volumes).length, "no two services share a volume");
  });

  files(`${path} trusts the proxy's network, and publishes the proxy and, on the machine itself, operations`, () => {
    const { services, networks } = compose(path);
    const { caddy, ...others } = services;
    assert.equal(caddy?.networks, ["public"]);
    assert.equal(caddy?.ports, ["80:80", "443:443", "443:443/udp"]);
    const subnets = networks.public?.ipam.config.map(({ subnet }) => subnet) ?? [];
    const families = subnets.map((subnet) => isIP(subnet.split("/")[0] ?? ""));
    assert.equal([families, networks.public?.enable_ipv6], [[4, 6], true], "it has the addresses of all visitors");
    for (const service of Object.values(others).filter(isOurs)) {
      const config = configOf(service);
      assert.equal(config.trustedProxies, subnets);
      for (const port of service.ports ?? []) assert.is(port, `127.0.0.1:8081:${config.operationsPort}`);
    }
    const upstreams = (caddy?.environment.UPSTREAMS ?? "").split(" ").map((upstream) => upstream.split(":"));
    const apis = Object.entries(others).filter(([, one]) => isOurs(one) && configOf(one).roles.has("api"));
    assert.equal(
      upstreams,
      apis.map(([name, service]) => [name, String(configOf(service).port)]),
    );
  });
}

files("Prometheus scrapes every process of compose.cluster.yml", () => {
  const prometheus = parse(read("deploy/prometheus/prometheus.yml")) as {
    readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[];
  };
  const ours = Object.entries(compose("deploy/compose.cluster.yml").services).filter(([, service]) => isOurs(service));
  assert.equal(
    prometheus.scrape_configs.flatMap(({ static_configs: configs }) => configs.flatMap(({ targets }) => targets)),
    ours.map(([name, service]) => `${name}:${configOf(service).operationsPort}`),
  );
});

files("the roles of compose.cluster.yml work as processes of their own", async () => {
  const { services } = compose("deploy/compose.cluster.yml");
  const separate = await runSeparateStore();
  const directory = await temporaryDirectory();
  const environmentOf = (name: string): Environment => ({
    NODE_ENV: "production",
    ...services[name]?.environment,
    ...separate.environment,
    // Without the proxy they are reached at their own addresses.
    ...{ BASE_URL: "", LINK_BASE_URL: "", OPERATIONS_PORT: "0" },
  });
  const run = (name: string) => runApplication(join(directory.path, name), environmentOf(name));
  const [worker, standby, one, other] = await Promise.all([
    run("worker-1"),
    run("worker-2"),
    run("api-1"),
    run("api-2"),
  ]);
  try {
    const { api } = await registerApp(one.operator);
    await one.client(api).send("POST", "/v1/tracking-links", { channel: "newsletter" });
    const today = localDate("Asia/Seoul", Date.now());
    const seen = await other.client(api, 10_000).send("GET", `/v1/tracking-links?from=${today}&to=${today}`);
    assert.is((seen as { readonly data: { readonly totalCount: number } }).data.totalCount, 1);
  } finally {
    await Promise.all([worker, standby, one, other].map((application) => application.stop()));
    await directory.remove();
    await separate.end();
  }
});

files("the unit starts what npm start does, with a configuration that is complete", () => {
  const lines = read("deploy/touchledger.service").split("\n");
  const valuesOf = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  assert.equal(valuesOf("ExecStart"), [`/usr/bin/${start}`]);
  const set = valuesOf("Environment").flatMap((line) => line.split(" ").map((one) => one.split("=")));
  const { ADMIN_TOKEN, URL_SIGNING_KEY } = configured;
  const config = readConfig({ ...Object.fromEntries(set), ADMIN_TOKEN, URL_SIGNING_KEY });
  assert.is(config.dataDirectory, `/var/lib/${valuesOf("StateDirectory")[0]}`);
  assert.equal(valuesOf("User"), ["touchledger"]);
  assert.ok(secondsOf(`${valuesOf("TimeoutStopSec")[0]}s`) * 1_000 > stopMs);
});

files("the image starts what npm start does, not as root, from existing files", () => {
  const text = read("Dockerfile").replaceAll("\\\n", " ");
  const instructions = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => line.trim().split(/\s+/));
  const of = (name: string) => instructions.filter(([first]) => first === name).map(([, ...rest]) => rest.join(" "));
  assert.equal(JSON.parse(of("CMD").at(-1) ?? "").join(" "), start);
  assert.equal(of("USER"), ["node"]);
  assert.is(of("HEALTHCHECK").length, 1);
  for (const from of of("FROM")) assert.match(from, /^node:\d+-[\w-]+( AS build)?$/);
  for (const copied of of("COPY").flatMap((line) => /--from=build \/srv\/touchledger\/(\S+)/.exec(line)?.[1] ?? [])) {
    assert.ok(existsSync(join(root, copied)), copied);
  }
});

files("the image keeps only the model runtime of its own architecture", async () => {
  const bin = "node_modules/onnxruntime-node/bin";
  const libraries = (await readdir(join(root, bin), { recursive: true })).filter((name) => /\.[\w.]+$/.test(name));
  const own = libraries.filter((name) => dirname(name).endsWith(`/linux/${process.arch}`));
  assert.ok(own.length > 0 && own.length < libraries.length);
  const image = await temporaryDirectory();
  try {
    for (const name of libraries) {
      await mkdir(join(image.path, bin, dirname(name)), { recursive: true });
      await writeFile(join(image.path, bin, name), "");
    }
    const [, command = ""] = /^RUN npm ci .*\\\n {2}&& (find .*)$/m.exec(read("Dockerfile")) ?? [];
    execFileSync("sh", ["-c", command], { cwd: image.path });
    const left = await readdir(join(image.path, bin), { recursive: true });
    assert.equal(
      left.filter((name) => libraries.includes(name)),
      own,
    );
  } finally {
    await image.remove();
  }
});

files("the workflows run what a newcomer runs, each job within a time limit", () => {
  const text = read(".github/workflows/tests.yml");
  const workflow = parse(text, { uniqueKeys: true }) as {
    readonly jobs: Readonly<Record<string, { "timeout-minutes"?: number; steps: { uses?: string; run?: string }[] }>>;
  };
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
  for (const job of Object.values(workflow.jobs)) assert.ok((job["timeout-minutes"] ?? 0) > 0);
  for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /^actions\/[\w-]+@v\d+$/);
  assert.ok(steps.some(({ run }) => run === ".ci/run"));
  const parts = text.match(/\b(test|deploy)\/[\w./-]+/g) ?? [];
  assert.ok(parts.length > 5);
  for (const part of parts) assert.ok(existsSync(join(root, part)), part);
});

files.run();
