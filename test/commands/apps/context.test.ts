import { suite } from "uvu";
import * as assert from "uvu/assert";
import { contextSwitchRoutes } from "../../../commands/apps/context-switch-routes.ts";
import { type ContextSwitches, createContextSwitches } from "../../../commands/apps/context-switches.ts";
import { appStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";

const switching = suite("switching context prediction on and off");
let application: Administration;
/** The switches of the process that writes. */
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

const put = (body: unknown, token = adminToken) =>
  application.call("PUT", "/admin/v1/apps/shop/context", { token, body });
const stored = () => application.events(appStream(app.id));

switching("takes effect at once in the writing process, elsewhere through the log's tail", async () => {
  const other = createContextSwitches(application.log);
  assert.equal([await own.isActive(app.id), await other.isActive(app.id)], [true, true]);
  const { status, json, headers } = await put({ active: false });
  assert.equal([status, json], [200, { data: { active: false } }]);
  const events = await stored();
  const [{ type, data, position } = { type: null, data: null, position: null }, ...others] = events;
  assert.equal([type, data, others], ["ContextDeactivated", { appId: app.id }, []]);
  assert.is(headers["x-log-position"], position?.commit.toString());
  assert.equal([await own.isActive(app.id), await other.isActive(app.id)], [false, true]);
  other.apply(events);
  assert.is(await other.isActive(app.id), false);
});

switching("appends nothing when unchanged, and is reversible by an owner", async () => {
  assert.is((await put({ active: false })).status, 200);
  assert.is((await put({ active: true }, app.tokens.api)).status, 200);
  assert.equal(
    (await stored()).map(({ type }) => type),
    ["ContextDeactivated", "ContextActivated"],
  );
  assert.is(await own.isActive(app.id), true);
});

switching("rejects an invalid body", async () => {
  for (const body of [{}, { active: "no" }, { active: true, since: 1 }]) assert.is((await put(body)).status, 400);
});

switching.run();
