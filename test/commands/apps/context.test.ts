import { suite } from "uvu";
import * as assert from "uvu/assert";
import { contextSwitchRoutes } from "../../../commands/apps/context-routes.ts";
import { type ContextSwitches, createContextSwitches } from "../../../commands/apps/context-switches.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { appStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";

const switching = suite("switching context prediction on and off");
let application: Administration;
/** Of the process that writes, and of another that only follows the log. */
let own: ContextSwitches;
let app: Awaited<ReturnType<Administration["registerApp"]>>;

switching.before(async () => {
  application = await startAdministration({
    routes: ({ log }) => {
      own = createContextSwitches(log);
      return contextSwitchRoutes({ log, onSwitched: own.forget });
    },
  });
  app = await application.registerApp("shop");
});
switching.after(() => application.close());

const put = (body: unknown, token = adminToken, name = "shop") =>
  application.call("PUT", `/admin/v1/apps/${name}/context`, { token, body });
const stored = async (): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const event of application.log.read(appStream(app.id))) events.push(event);
  return events;
};

switching("is on until it is switched off; who writes goes by it at once, others by the log's tail", async () => {
  const other = createContextSwitches(application.log);
  assert.equal([await own.isActive(app.id), await other.isActive(app.id)], [true, true]);
  const { status, json, headers } = await put({ active: false });
  assert.equal([status, json], [200, { data: { active: false } }]);
  const events = await stored();
  assert.equal(
    events.map(({ type, data }) => ({ type, data })),
    [{ type: "ContextDeactivated", data: { appId: app.id } }],
  );
  assert.is(headers["x-log-position"], events.at(-1)?.position.commit.toString());
  assert.equal([await own.isActive(app.id), await other.isActive(app.id)], [false, true]);
  other.apply(events);
  assert.is(await other.isActive(app.id), false);
});

switching("writes nothing that is so already, and is reversible by an owner", async () => {
  assert.is((await put({ active: false })).status, 200);
  assert.is((await put({ active: true }, app.tokens.api)).status, 200);
  assert.equal(
    (await stored()).map(({ type }) => type),
    ["ContextDeactivated", "ContextActivated"],
  );
  assert.is(await own.isActive(app.id), true);
});

switching("refuses what is no switch, unknown apps and other tokens", async () => {
  assert.equal(
    await Promise.all([
      put({}).then(({ status }) => status),
      put({ active: "no" }).then(({ status }) => status),
      put({ active: true, since: 1 }).then(({ status }) => status),
      put({ active: true }, adminToken, "nobody").then(({ status }) => status),
      put({ active: true }, app.tokens.sdk).then(({ status }) => status),
    ]),
    [400, 400, 400, 404, 403],
  );
});

switching.run();
