import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../../infra/config/config.ts";
import { faultsOf } from "./configuration-faults.ts";

const addresses = suite("BASE_URL and LINK_BASE_URL");

/** Each row: what is set, what it stands for. */
const accepted: readonly (readonly [string, string])[] = [
  ["http://lnk.example", "http://lnk.example"],
  ["https://lnk.example/", "https://lnk.example"],
  ["https://lnk.example/l//", "https://lnk.example/l"],
  ["HTTPS://Lnk.Example", "https://lnk.example"],
  ["https://Lnk.Example/L", "https://lnk.example/L"],
  ["https://lnk.example:443/l", "https://lnk.example/l"],
  ["http://lnk.example:80", "http://lnk.example"],
  ["http://lnk.example:443", "http://lnk.example:443"],
  ["http://lnk.example:1", "http://lnk.example:1"],
  ["http://lnk.example:65535", "http://lnk.example:65535"],
  ["http://lnk.example:/l", "http://lnk.example/l"],
  ["http://lnk.example.:8080/l", "http://lnk.example:8080/l"],
  ["http://lnk.example/a/../l/.", "http://lnk.example/l"],
  ["http://lnk.example/@/l", "http://lnk.example/@/l"],
  ["http://lnk.example/링크", "http://lnk.example/%EB%A7%81%ED%81%AC"],
  ["http://링크.example", "http://xn--9y2bo82b.example"],
  ["http://[::1]:8080/l", "http://[::1]:8080/l"],
  ["http://127.0.0.1/l", "http://127.0.0.1/l"],
];
for (const [set, address] of accepted) {
  addresses(`may be ${set}`, () => {
    const { baseUrl } = readConfig({ BASE_URL: set });
    const { linkBaseUrl } = readConfig({ BASE_URL: "https://api.example", LINK_BASE_URL: set });
    assert.equal([baseUrl, linkBaseUrl], [address, address]);
  });
}

const noPath = "must be scheme, host and path only: no user, query or fragment.";
const illegal = "must have no spaces, control characters or backslashes.";
const noScheme = "must be an address that starts with http:// or https://.";
const noHost = "must have a host, and no port but one from 1 to 65535, as https://links.example:8443/l has.";
const refused: readonly (readonly [string, string])[] = [
  ["http://lnk.example#", noPath],
  ["http://lnk.example/l#a", noPath],
  ["http://lnk.example?", noPath],
  ["http://lnk.example/l?", noPath],
  ["http://lnk.example/l?a=1", noPath],
  ["http://user@localhost/l", noPath],
  ["http://user:password@localhost/l", noPath],
  ["http://:password@localhost/l", noPath],
  ["http://lnk.example/a b", illegal],
  ["http://lnk example/l", illegal],
  ["http://lnk.example/a\u00a0b", illegal],
  ["http://lnk.example/a\tb", illegal],
  ["http://lnk.ex\nample/l", illegal],
  ["http://lnk.example/a\u007fb", illegal],
  ["http://lnk.example\\l", illegal],
  ["http:\\\\lnk.example", illegal],
  ["lnk.example", noScheme],
  ["//lnk.example", noScheme],
  ["http:lnk.example", noScheme],
  ["http:/lnk.example", noScheme],
  ["ftp://lnk.example", noScheme],
  ["http://", noHost],
  ["http:///l", noHost],
  ["http:////l", noHost],
  ["http://:8080/l", noHost],
  ["http://./l", noHost],
  ["http://lnk..example", noHost],
  ["http://lnk.example..", noHost],
  ["http://lnk.example:0", noHost],
  ["http://lnk.example:65536", noHost],
  ["http://lnk.example:x", noHost],
];
for (const [set, fault] of refused) {
  addresses(`may not be ${JSON.stringify(set)}`, () => {
    for (const name of ["BASE_URL", "LINK_BASE_URL"]) {
      assert.equal(faultsOf({ [name]: set }), [`${name} ${fault}`]);
    }
  });
}

addresses.run();
