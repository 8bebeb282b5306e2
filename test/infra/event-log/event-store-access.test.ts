// time limit: 5 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventStoreAccess, eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";

const addresses = suite("addresses of event stores");

for (const [address, connectionString] of [
  ["esdb://one:2113", "esdb://one:2113?nodePreference=leader"],
  ["esdb+discover://one:2113,two?tls=false", "esdb+discover://one:2113,two?tls=false&nodePreference=leader"],
  ["esdb://one:2113?nodePreference=follower", "esdb://one:2113?nodePreference=follower"],
  ["kurrentdb://one:2113", "esdb://one:2113?nodePreference=leader"],
  ["kurrentdb+discover://kurrentdb:2113", "esdb+discover://kurrentdb:2113?nodePreference=leader"],
] as const) {
  addresses(`prefer the leader unless they name another node, and are read by the client: ${address}`, () => {
    assert.equal(eventStoreAccess(address), { connectionString, username: "", password: "" });
  });
}

addresses("carry a credential, which is split off", () => {
  const access = eventStoreAccess("esdb://admin:p%40ss@one:2113?tls=true");
  assert.equal(access, {
    connectionString: "esdb://one:2113?tls=true&nodePreference=leader",
    username: "admin",
    password: "p@ss",
  });
  assert.equal(eventStoreAccess(eventStoreUrl(access)), access);
});

addresses.run();
