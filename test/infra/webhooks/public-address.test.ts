import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPublicAddress, literalAddress } from "../../../infra/webhooks/public-address.ts";

/** The first and last address of each refused network, and their neighbours where those are public. */
const refused = [
  ...["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255"],
  ...["127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255"],
  ...["172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.0"],
  ...["192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1"],
  ...["239.255.255.255", "240.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16"],
  ...["::", "::1", "::2", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "0:0:0:0:0:ffff:c0a8:1"],
  ...["::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2001:db8::1", "2001::1"],
  ...["2002:7f00:1::", "3fff::1", "fec0::1", "4000::1"],
];
const allowed = [
  ...["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
  ...["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255"],
  ...["192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15", "168.63.129.17"],
  ...["2606:4700:4700::1111", "2001:4860:4860::8888", "2001:200::1", "::ffff:1.1.1.1", "64:ff9b::101:101"],
];

const addresses = suite("public addresses");

for (const address of refused) {
  addresses(`are not ${address}`, () => {
    assert.is(isPublicAddress(address), false);
  });
}
addresses("are all others", () => {
  assert.equal(
    allowed.filter((address) => !isPublicAddress(address)),
    [],
  );
});
addresses("are not names", () => {
  assert.equal(["localhost", "", "1.1.1", "shop.example"].filter(isPublicAddress), []);
});

const hosts: readonly (readonly [url: string, address: string | null])[] = [
  ["http://2130706433/", "127.0.0.1"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://0177.0.0.1/", "127.0.0.1"],
  ["http://127.1/", "127.0.0.1"],
  ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
  ["http://[::1]:8080/", "::1"],
  ["http://①②⑦.0.0.1/", "127.0.0.1"],
  ["http://shop.example/", null],
  ["http://localhost/", null],
];

addresses("are read from a URL, however it writes them", () => {
  assert.equal(
    hosts.map(([url]) => [url, literalAddress(new URL(url).hostname)]),
    hosts,
  );
});

addresses.run();
