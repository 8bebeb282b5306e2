import { resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  apiUrl,
  type Config,
  localUrl,
  publicUrls,
  readClientConfig,
  readConfig,
} from "../../../infra/config/config.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { faultsOf } from "./configuration-faults.ts";

const secret = "0123456789abcdefghijklmnopqrstuv";

const defaults: Config = {
  host: null,
  port: 8080,
  operationsPort: null,
  baseUrl: null,
  linkBaseUrl: null,
  dataDirectory: resolve("data"),
  eventStoreUrl: null,
  eventStreamPrefix: "",
  followerLagMs: 0,
  databaseUrl: null,
  adminToken: null,
  urlSigningKey: null,
  roles: new Set(["api", "worker", "event-store"]),
  trustedProxies: [],
  spoolLimitBytes: 256 * 1024 * 1024,
  diskReserveBytes: 64 * 1024 * 1024,
  rateLimits: defaultRateLimits,
  webhookPrivateNetworks: false,
  logLevel: "info",
  misspelt: [],
};

const environment = suite("the environment");

environment("may be empty: a bare machine gets the defaults", () => {
  assert.equal(readConfig({}), defaults);
  assert.equal(readConfig({ PORT: "", ADMIN_TOKEN: " ", DATABASE_URL: "" }), defaults);
});

environment("names variables that are probably misspelt ones of those that are not set", () => {
  const misspelt = (...names: readonly string[]) =>
    readConfig(Object.fromEntries(names.map((name) => [name, "8081"]))).misspelt.map(
      ({ variable, meant }) => `${variable}: ${meant}`,
    );
  assert.equal(misspelt("TRUSTED_PROXY", "ADMIN_TOEKN", "EVENT_STORE_URL", "RATE_LIMIT"), [
    "TRUSTED_PROXY: TRUSTED_PROXIES",
    "ADMIN_TOEKN: ADMIN_TOKEN",
    "EVENT_STORE_URL: EVENTSTORE_URL",
    "RATE_LIMIT: RATE_LIMITS",
  ]);
  assert.equal(misspelt("PROT"), ["PROT: PORT"]);
  assert.equal(misspelt("PROT", "PORT"), []);
  assert.equal(readConfig({ PROT: " " }).misspelt, []);
  const unrelated = [
    ...[
      "PATH",
      "HOME",
      "HOSTNAME",
      "USER",
      "LOGNAME",
      "PWD",
      "SHELL",
      "TERM",
      "LANG",
      "LC_ALL",
      "MAIL",
      "TMPDIR",
      "TZ",
    ],
    ...[
      "NODE_OPTIONS",
      "NODE_VERSION",
      "SSH_TTY",
      "XDG_DATA_DIRS",
      "COLORTERM",
      "DB_PORT",
      "DB_HOST",
      "PGPORT",
      "PGHOST",
    ],
    ...[
      "API_BASE_URL",
      "REDIS_URL",
      "KUBERNETES_PORT",
      "KUBERNETES_SERVICE_HOST",
      "POSTGRES_DATABASE_URL",
      "AWS_ROLE_ARN",
    ],
    ...["TOUCHLEDGER_TOKEN", "GITHUB_TOKEN", "YARN_VERSION", "OTEL_SERVICE_NAME", "LD_LIBRARY_PATH", "MONGO_BASE_URL"],
  ];
  assert.equal(misspelt(...unrelated), []);
});

environment("has the documented rate limits by default", () => {
  assert.equal(readConfig({}).rateLimits, {
    "link-creation": { count: 50, seconds: 1 },
    "ingest-api": { count: 1000, seconds: 60 },
    "ingest-sdk": { count: 1000, seconds: 1 },
    "ingest-bytes": { count: 600_000_000, seconds: 60 },
    "ingest-device": { count: 120, seconds: 60 },
    "report-request": { count: 60, seconds: 60 },
    "upload-request": { count: 60, seconds: 60 },
    context: { count: 600, seconds: 1 },
    other: { count: 100, seconds: 1 },
    anonymous: { count: 600, seconds: 60 },
  });
});

environment("states everything", () => {
  assert.equal(
    readConfig({
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: "0",
      OPERATIONS_PORT: "0",
      BASE_URL: "https://api.example.com/",
      LINK_BASE_URL: "https://go.example.com",
      DATA_DIR: "/var/lib/ledger",
      EVENTSTORE_URL: "esdb://admin:changeit@one:2113,two:2113,three:2113?tls=true",
      EVENT_STREAM_PREFIX: "shop_1.",
      FOLLOWER_LAG_MS: "200",
      DATABASE_URL: "postgres://user:password@db/touchledger",
      ADMIN_TOKEN: secret,
      URL_SIGNING_KEY: `${secret}==`,
      ROLES: "api, worker",
      TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1,fd00::/8",
      SPOOL_LIMIT_MB: "2",
      DISK_RESERVE_MB: "0",
      RATE_LIMITS: "context=10/s,ingest-api=60000/h",
      WEBHOOK_PRIVATE_NETWORKS: "true",
      LOG_LEVEL: "warn",
    }),
    {
      host: "127.0.0.1",
      port: 0,
      operationsPort: 0,
      baseUrl: "https://api.example.com",
      linkBaseUrl: "https://go.example.com",
      dataDirectory: "/var/lib/ledger",
      eventStoreUrl: "esdb://admin:changeit@one:2113,two:2113,three:2113?tls=true",
      eventStreamPrefix: "shop_1.",
      followerLagMs: 200,
      databaseUrl: "postgres://user:password@db/touchledger",
      adminToken: secret,
      urlSigningKey: `${secret}==`,
      roles: new Set(["api", "worker"]),
      trustedProxies: ["10.0.0.0/8", "127.0.0.1", "fd00::/8"],
      spoolLimitBytes: 2 * 1024 * 1024,
      diskReserveBytes: 0,
      rateLimits: {
        ...defaultRateLimits,
        context: { count: 10, seconds: 1 },
        "ingest-api": { count: 60_000, seconds: 3600 },
      },
      webhookPrivateNetworks: true,
      logLevel: "warn",
      misspelt: [],
    },
  );
});

environment("needs an event store from somewhere, and links apart from the API", () => {
  assert.equal(faultsOf({ ROLES: "api,worker", BASE_URL: "http://a.example", LINK_BASE_URL: "http://a.example/" }), [
    "EVENTSTORE_URL is required when ROLES leaves out event-store: there is no other event store.",
    "LINK_BASE_URL must have a path of its own, such as /l, or a host of its own: links at / would hide the API.",
  ]);
  assert.equal(faultsOf({ ROLES: "api,worker", EVENTSTORE_URL: "esdb://localhost:2113" }), []);
});

environment("has no role of the event store alone, which is a command", () => {
  assert.equal(faultsOf({ ROLES: "event-store" }), [
    "ROLES cannot be event-store alone: `touchledger event-store` runs the event store of a DATA_DIR.",
  ]);
  assert.equal(faultsOf({ ROLES: "api,event-store" }), []);
});

environment("needs the database that the other role uses", () => {
  const EVENTSTORE_URL = "esdb://localhost:2113";
  for (const ROLES of ["api", "worker"]) {
    assert.equal(faultsOf({ ROLES, EVENTSTORE_URL }), [
      "DATABASE_URL is required when ROLES is api or worker alone: both use one database.",
    ]);
    assert.equal(faultsOf({ ROLES, EVENTSTORE_URL, DATABASE_URL: "postgres://db.example/touchledger" }), []);
  }
});

environment("turns rate limits off", () => {
  assert.is(readConfig({ RATE_LIMITS: "off" }).rateLimits, "off");
});

environment("must have the secrets in production", () => {
  assert.equal(faultsOf({ NODE_ENV: "production" }), [
    "ADMIN_TOKEN is required when NODE_ENV is production.",
    "URL_SIGNING_KEY is required when NODE_ENV is production.",
  ]);
});

environment("takes an EVENT_STREAM_PREFIX of up to 40 characters, without hyphens", () => {
  const faultOf = (prefix: string) => faultsOf({ EVENT_STREAM_PREFIX: prefix }).join();
  const fault = "EVENT_STREAM_PREFIX may hold at most 40 letters, digits, _ and . only; it is";
  assert.equal(["x".repeat(39), "x".repeat(40), "x".repeat(41), "shop-", "$shop"].map(faultOf), [
    "",
    "",
    `${fault} "${"x".repeat(41)}".`,
    `${fault} "shop-".`,
    `${fault} "$shop".`,
  ]);
});

for (const name of ["ADMIN_TOKEN", "URL_SIGNING_KEY"]) {
  environment(`takes a ${name} of 32 to 1,000 characters`, () => {
    const faultOf = (length: number) => faultsOf({ [name]: "x".repeat(length) }).join();
    const limits = `${name} must have at least 32 characters, and at most 1000; it has`;
    assert.equal([31, 32, 33, 999, 1_000, 1_001].map(faultOf), [`${limits} 31.`, "", "", "", "", `${limits} 1001.`]);
  });
}

environment("takes rate limits whose buckets can be counted exactly", () => {
  const bytesIn = (limits: string) => {
    const { rateLimits } = readConfig({ RATE_LIMITS: limits });
    return rateLimits === "off" ? null : rateLimits["ingest-bytes"];
  };
  assert.equal(bytesIn("ingest-bytes=1200000000/min"), { count: 1_200_000_000, seconds: 60 });
  for (const [unit, seconds, largest] of [
    ["s", 1, 9_007_199_254_740],
    ["min", 60, 150_119_987_579],
    ["h", 3_600, 2_501_999_792],
  ] as const) {
    assert.ok(
      Number.isSafeInteger(largest * seconds * 1_000) && !Number.isSafeInteger((largest + 1) * seconds * 1_000),
    );
    for (const count of [largest - 1, largest])
      assert.equal(bytesIn(`ingest-bytes=${count}/${unit}`), { count, seconds });
    assert.equal(faultsOf({ RATE_LIMITS: `ingest-bytes=${largest + 1}/${unit}` }), [
      `RATE_LIMITS may have a count of at most ${largest} in "ingest-bytes=${largest + 1}/${unit}".`,
    ]);
  }
  assert.is(faultsOf({ RATE_LIMITS: `ingest-bytes=${"9".repeat(400)}/s` }).length, 1);
});

environment("has all its faults named at once", () => {
  assert.equal(
    faultsOf({
      PORT: "80 80",
      BASE_URL: "localhost:8080",
      LINK_BASE_URL: "https://go.example.com/?a=1",
      EVENTSTORE_URL: "http://localhost:2113",
      DATABASE_URL: "mysql://db",
      ADMIN_TOKEN: "short",
      URL_SIGNING_KEY: `${secret} with spaces`,
      ROLES: "api,web",
      TRUSTED_PROXIES: "10.0.0.0/33,example.com,127.0.0.1/8/9,0.0.0.0/0,::/00",
      RATE_LIMITS: "context=10/s,everything=1/s,other=0/s",
      WEBHOOK_PRIVATE_NETWORKS: "yes",
      LOG_LEVEL: "loud",
    }),
    [
      'PORT must be a whole number from 0 to 65535; it is "80 80".',
      "BASE_URL must be an address that starts with http:// or https://.",
      "LINK_BASE_URL must be scheme, host and path only: no user, query or fragment.",
      "EVENTSTORE_URL must be an address that starts with esdb:// or esdb+discover:// or kurrentdb:// or kurrentdb+discover:// and has a host.",
      "DATABASE_URL must be an address that starts with postgres:// or postgresql:// and has a host.",
      "ADMIN_TOKEN must have at least 32 characters, and at most 1000; it has 5.",
      "URL_SIGNING_KEY may hold letters, digits, - . _ ~ + / and, at its end, = only.",
      'ROLES must be "all" or a list of api, worker, event-store; it is "api,web".',
      'TRUSTED_PROXIES must be a list of IP addresses or ranges like 10.0.0.0/8; it has "10.0.0.0/33", "example.com", "127.0.0.1/8/9", "0.0.0.0/0", "::/00".',
      'RATE_LIMITS must be "on", "off" or a list like context=600/s,ingest-api=1000/min with the names link-creation, ingest-api, ingest-sdk, ingest-bytes, ingest-device, report-request, upload-request, context, other, anonymous; it has "everything=1/s".',
      'RATE_LIMITS must be "on", "off" or a list like context=600/s,ingest-api=1000/min with the names link-creation, ingest-api, ingest-sdk, ingest-bytes, ingest-device, report-request, upload-request, context, other, anonymous; it has "other=0/s".',
      'WEBHOOK_PRIVATE_NETWORKS must be one of true, false; it is "yes".',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent; it is "loud".',
    ],
  );
});

environment("refuses ports out of range", () => {
  assert.equal(faultsOf({ PORT: "65535" }), []);
  assert.equal(faultsOf({ PORT: "65536" }).length, 1);
  assert.equal(faultsOf({ PORT: "-1" }).length, 1);
  assert.equal(faultsOf({ OPERATIONS_PORT: "65535" }), []);
  assert.equal(faultsOf({ OPERATIONS_PORT: "65536" }), [
    'OPERATIONS_PORT must be a whole number from 0 to 65535; it is "65536".',
  ]);
});

environment("gives operations another port than the API", () => {
  assert.equal(faultsOf({ PORT: "8081", OPERATIONS_PORT: "8081" }), [
    "OPERATIONS_PORT must be another port than PORT; both are 8081.",
  ]);
  assert.equal(faultsOf({ OPERATIONS_PORT: "8080" }).length, 1);
  assert.equal(faultsOf({ OPERATIONS_PORT: "8081" }), []);
});

environment("with faults in other variables still serves the commands of clients", () => {
  assert.equal(readClientConfig({ NODE_ENV: "production", PORT: "none" }), {
    dataDirectory: resolve("data"),
    token: null,
    adminToken: null,
  });
  const tokens = { TOUCHLEDGER_TOKEN: " tl_api_0 ", ADMIN_TOKEN: " short " };
  assert.equal(readClientConfig({ DATA_DIR: "/var/data", ...tokens }), {
    dataDirectory: "/var/data",
    token: "tl_api_0",
    adminToken: "short",
  });
});

environment.run();

const addresses = suite("the public addresses");

for (const [host, expected] of [
  [null, "http://localhost:8081"],
  ["0.0.0.0", "http://localhost:8081"],
  ["::", "http://localhost:8081"],
  ["10.0.0.5", "http://10.0.0.5:8081"],
  ["::1", "http://[::1]:8081"],
  ["fe80::1%eth0", "http://localhost:8081"],
] as const) {
  addresses(`have beside them ${expected} for commands on this machine where HOST is ${host}`, () => {
    assert.is(localUrl({ host }, 8081), expected);
  });
}

addresses("are local ones at the port that is listened on, unless configured", () => {
  const none = { host: null, baseUrl: null, linkBaseUrl: null };
  assert.equal(publicUrls(none, 4711), {
    baseUrl: "http://localhost:4711",
    linkBaseUrl: "http://localhost:4711/l",
  });
  assert.equal(publicUrls({ ...none, host: "127.0.0.2" }, 4711), {
    baseUrl: "http://127.0.0.2:4711",
    linkBaseUrl: "http://127.0.0.2:4711/l",
  });
  assert.equal(publicUrls({ ...none, baseUrl: "https://api.example.com" }, 4711), {
    baseUrl: "https://api.example.com",
    linkBaseUrl: "https://api.example.com/l",
  });
  const configured = { baseUrl: "https://api.example.com", linkBaseUrl: "https://go.example.com" };
  assert.equal(publicUrls({ ...none, ...configured }, 4711), configured);
});

for (const [baseUrl, linkBaseUrl, expected] of [
  [null, null, "http://localhost:8080"],
  ["https://api.example", "https://go.example", "http://localhost:8080"],
  ["http://localhost:8080", "http://localhost:8080/l", "http://localhost:8080"],
  ["http://127.0.0.1:8080", "http://localhost:8080", "http://127.0.0.1:8080"],
] as const) {
  addresses(`let commands call the API at ${expected} where links are at ${linkBaseUrl}`, () => {
    assert.is(apiUrl({ host: null, baseUrl, linkBaseUrl }, 8080), expected);
  });
}

addresses.run();
