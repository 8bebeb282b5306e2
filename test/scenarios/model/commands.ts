import { randomUUID } from "node:crypto";
import fc from "fast-check";
import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { filePart, form } from "../../support/multipart-form.ts";
import type { AppendFault } from "./application-in-process.ts";
import { type AppEvent, effectiveWithinMs, gaidOf, type Link, type Reference } from "./reference.ts";
import type { Session } from "./session.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const channels = ["partner", "newsletter", "billboard"] as const;
const devices = 4;

type Step = fc.AsyncCommand<Reference, Session>;

/** A command: what it needs of the reference, and what it does. `name` is printed with a counterexample. */
function step(name: string, run: Step["run"], check: (reference: Reference) => boolean = () => true): Step {
  return { check, run, toString: () => name };
}

const index = fc.nat({ max: 1_000 });
const channel = fc.constantFrom(...channels);
const device = fc.nat({ max: devices - 1 });
/** A minute of the last twelve days, before yesterday. */
const past = fc.integer({ min: 0, max: 10 * 24 * 60 });
const timeOf = (session: Session, ago: number): number => session.uniqueTime(Date.now() - 2 * day - ago * minute);
const pick = <Item>(items: Iterable<Item>, at: number): Item | undefined => {
  const all = [...items];
  return all[at % Math.max(1, all.length)];
};

const createLink = fc.record({ channel, name: fc.nat({ max: 5 }) }).map(({ channel: name, name: number }) =>
  step(`create link ${number} for ${name}`, async ({ links }, session) => {
    const shortId = `${session.app.slice(-12)}-${number}`;
    const address = `https://shop.example/${number}/0`;
    const created = await session.send("POST", "/v1/tracking-links", {
      token: session.owner,
      headers: { "Content-Type": "application/json", "Idempotency-Key": randomUUID() },
      body: { channel: name, customShortId: shortId, fallbackPaths: { desktop: address } },
    });
    const known = links.get(shortId);
    assert.is(created.status, known === undefined ? 200 : 422, created.text);
    if (known !== undefined) return;
    const { id } = (created.json as { data: { trackingLink: { id: number } } }).data.trackingLink;
    links.set(shortId, { shortId, id, channel: name, destinations: [{ address, since: Date.now() }] });
  }),
);

const changeLink = index.map((at) =>
  step(
    `change link ${at}`,
    async ({ links }, session) => {
      const link = pick(links.values(), at) as Link;
      const address = `https://shop.example/${link.shortId}/${link.destinations.length}`;
      const changed = await session.send("PATCH", `/v1/tracking-links/${link.id}/routing`, {
        token: session.owner,
        headers: { "Content-Type": "application/json", "Idempotency-Key": randomUUID() },
        body: { fallbackPaths: { desktop: address } },
      });
      assert.is(changed.status, 200, changed.text);
      link.destinations.push({ address, since: Date.now() });
    },
    ({ links }) => links.size > 0,
  ),
);

const visit = index.map((at) =>
  step(
    `visit link ${at}`,
    async ({ links, clicks, perhaps }, session) => {
      const link = pick(links.values(), at) as Link;
      const since = Date.now();
      const visited = await session.sendOnce("GET", `/l/${link.shortId}`, {
        headers: { "User-Agent": userAgents.desktop },
      });
      if (visited === null) {
        perhaps.set(link.channel, (perhaps.get(link.channel) ?? 0) + 1);
        return;
      }
      assert.is(visited.status, 302, `${link.shortId}: ${visited.text}`);
      const location = new URL(visited.headers.location ?? "");
      const id = location.searchParams.get("tl_click_id") ?? "";
      clicks.set(id, { id, channel: link.channel, at: since, gaid: null });
      assert.ok(allowedDestinations(link, since).includes(location.origin + location.pathname), location.href);
    },
    ({ links }) => links.size > 0,
  ),
);

/** The latest destination, and those that it replaced shortly before. */
function allowedDestinations({ destinations }: Link, at: number): readonly string[] {
  return destinations
    .filter((_, number) => at - (destinations[number + 1]?.since ?? Number.POSITIVE_INFINITY) < effectiveWithinMs)
    .map(({ address }) => address);
}

const backFill = fc.record({ channel, device, past, repeats: index, repeated: fc.boolean() }).map((given) =>
  step(
    `click of device ${given.device} ${given.past} min ago${given.repeated ? ", repeated" : ""}`,
    async (reference, session) => {
      const { clicks } = reference;
      const known = given.repeated
        ? pick(
            [...clicks.values()].filter(({ gaid }) => gaid !== null),
            given.repeats,
          )
        : undefined;
      const click = known ?? {
        id: randomUUID(),
        channel: given.channel,
        at: timeOf(session, given.past),
        gaid: gaidOf(given.device),
      };
      const touchpoint = { touchpointId: click.id, kind: "click", channel: click.channel, timestamp: click.at };
      await ingest(session, "touchpoints", [{ ...touchpoint, gaid: click.gaid }]);
      clicks.set(click.id, click);
    },
  ),
);

const appEvents = fc
  .array(
    fc.record({
      device,
      past,
      isOrder: fc.boolean(),
      value: fc.nat({ max: 100 }),
      /** Sent again with another value, which does not count: of an earlier event, if there is one. */
      repeats: fc.option(index, { freq: 4 }),
      /** Opened through an earlier click. */
      through: fc.option(index),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((given) =>
    step(`${given.length} app events`, async ({ events, clicks }, session) => {
      const sent = given.map(({ device: number, past: ago, isOrder, value, repeats, through }): AppEvent => {
        const known = repeats === null ? undefined : pick(events.values(), repeats);
        if (known !== undefined) return { ...known, value: known.value + 1 };
        const click = through === null || isOrder ? undefined : pick(clicks.values(), through);
        const isOfVisitor = click !== undefined && click.gaid === null;
        return {
          id: randomUUID(),
          category: isOrder ? "app_order_complete" : "app_install",
          at: isOfVisitor ? session.uniqueTime(Date.now()) : timeOf(session, ago),
          device: number,
          value,
          clickId: click?.id ?? null,
        };
      });
      await ingest(session, "events", sent.map(bodyOf));
      for (const event of sent) if (!events.has(event.id)) events.set(event.id, event);
    }),
  );

function bodyOf({ id, category, at, device: number, value, clickId }: AppEvent): object {
  const ofDevice = { id: `device-${number}`, os: "Android", gaid: gaidOf(number) };
  const money = category === "app_order_complete" ? { value, currency: "USD" } : {};
  const referrer = clickId === null ? {} : { referrer: { clickId } };
  return { eventId: id, eventTimestamp: at, category, device: ofDevice, ...money, ...referrer };
}

async function ingest(session: Session, field: "events" | "touchpoints", items: readonly object[]): Promise<void> {
  const path = `/events/v1/apps/${session.app}/${field === "events" ? "app-events" : field}`;
  const headers = { "Content-Type": "application/json" };
  const taken = await session.send("POST", path, { token: session.owner, headers, body: { [field]: items } });
  assert.is(taken.status, 202, taken.text);
  assert.equal((taken.json as { data: { rejected: unknown } }).data.rejected, [], taken.text);
}

const issueToken = fc.constant(
  step("issue a token", async ({ tokens }, session) => {
    const path = `/admin/v1/apps/${session.app}/tokens`;
    const headers = { "Content-Type": "application/json" };
    const issued = await session.send("POST", path, {
      token: session.owner,
      headers,
      body: { kind: "api", role: "agency" },
    });
    assert.is(issued.status, 201, issued.text);
    const { id, secret } = (issued.json as { data: { token: { id: string; secret: string } } }).data.token;
    tokens.push({ id, secret, revokedAt: null });
  }),
);

const revokeToken = index.map((at) =>
  step(
    `revoke token ${at}`,
    async ({ tokens }, session) => {
      const token = pick(tokens, at);
      if (token === undefined) return;
      const revoked = await session.send("DELETE", `/admin/v1/apps/${session.app}/tokens/${token.id}`, {
        token: session.owner,
      });
      assert.is(revoked.status, 204, revoked.text);
      token.revokedAt ??= Date.now();
    },
    ({ tokens }) => tokens.length > 0,
  ),
);

const useToken = index.map((at) =>
  step(
    `use token ${at}`,
    async ({ tokens }, session) => {
      const token = pick(tokens, at);
      if (token === undefined) return;
      const since = Date.now();
      const path = "/v1/tracking-links?from=2026-01-01&to=2026-01-02";
      const { status } = await session.send("GET", path, { token: token.secret });
      const revokedFor = token.revokedAt === null ? null : since - token.revokedAt;
      if (revokedFor === null) assert.is(status, 200, "a valid token");
      else if (revokedFor >= effectiveWithinMs) assert.is(status, 401, `a token revoked ${revokedFor} ms ago`);
    },
    ({ tokens }) => tokens.length > 0,
  ),
);

const spendRow = fc.record({ ago: fc.integer({ min: 2, max: 3 }), channel, cost: fc.nat({ max: 500 }) });
const uploadSpend = fc
  .uniqueArray(spendRow, { minLength: 1, maxLength: 4, selector: ({ ago, channel: name }) => `${ago} ${name}` })
  .map((given) =>
    step(`upload ${given.length} rows of spend`, async ({ uploads }, session) => {
      const rows = given.map(({ ago, channel: name, cost }) => ({
        date: new Date(Date.now() - ago * day).toISOString().slice(0, 10),
        channel: name,
        cost,
      }));
      const lines = rows.map(({ date, channel: name, cost }) => `${date},${name},USD,spring,1,1,${cost}\n`);
      const { headers, body } = form([
        filePart(`date,channel,currency,campaign,impressions,clicks,cost\n${lines.join("")}`),
      ]);
      const sent = await session.send("POST", "/self-serve-data/v1/ad-spend/requests", {
        token: session.owner,
        headers: { ...headers, "Idempotency-Key": randomUUID() },
        body,
      });
      assert.is(sent.status, 200, sent.text);
      const { requestId } = sent.json as { requestId: string };
      assert.not.ok(uploads.some((one) => one.requestId === requestId));
      uploads.push({ requestId, rows });
    }),
  );

const crash = fc.constant(step("crash", (_, { application }) => application.crash()));
const restart = fc.constant(step("restart", (_, { application }) => application.restart()));
const failAppends = fc
  .array(fc.constantFrom<AppendFault>("lost", "unanswered"), { minLength: 1, maxLength: 3 })
  .map((faults) =>
    step(`appends are ${faults.join(", ")}`, async (_, { application }) => application.failAppends(faults)),
  );

/** A sequence of up to `maxCommands`: one command in twenty fails an append, one in a hundred ends the instance. */
export function sequence(maxCommands: number): fc.Arbitrary<Iterable<Step>> {
  const weighted: readonly (readonly [number, fc.Arbitrary<Step>])[] = [
    [10, createLink],
    [6, changeLink],
    [14, visit],
    [18, backFill],
    [24, appEvents],
    [5, issueToken],
    [4, revokeToken],
    [6, useToken],
    [8, uploadSpend],
    [5, failAppends],
    [0.7, crash],
    [0.3, restart],
  ];
  const step = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ arbitrary, weight: weight * 10 })));
  return fc.commands([step], { maxCommands, size: "max" });
}
