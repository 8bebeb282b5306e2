import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoEnvironment } from "../../../../infra/cli/commands/demo.ts";

const environment = suite("the settings of the demo");

environment("are its own: no store, address, token or role of the shell", () => {
  const shell = {
    ...{ EVENTSTORE_URL: "esdb://store", DATABASE_URL: "postgres://db", EVENT_STREAM_PREFIX: "shop" },
    ...{ BASE_URL: "https://api.example", LINK_BASE_URL: "https://links.example", ADMIN_TOKEN: "a".repeat(32) },
    ...{ ROLES: "api", NODE_ENV: "production", DATA_DIR: "/var/lib/touchledger", HOST: "127.0.0.1" },
  };
  assert.equal(demoEnvironment(shell, "/tmp/demo", "0"), {
    ...{ HOST: "127.0.0.1", LOG_LEVEL: "warn", RATE_LIMITS: "off", DATA_DIR: "/tmp/demo", PORT: "0" },
  });
});

environment.run();
