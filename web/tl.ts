/**
 * The web snippet (docs/contract/web-snippet.md): queues events of a page, and retries each with the same id until the
 * server has responded to it. It has no imports: compressed, it is at most 1.5 KB.
 */

interface AppEvent {
  readonly device?: object;
  readonly [name: string]: unknown;
}

type Call = readonly ["event", string, AppEvent?] | readonly ["consent", boolean];

declare global {
  interface Window {
    /** `q`: calls that were made before this file was loaded. */
    touchledger?: ((...call: Call) => void) & { readonly q?: readonly Call[] };
  }
}

const maxEvents = 100;
/** Fits the 64 KiB that browsers still send when the user leaves a page. */
const maxBytes = 60_000;
const maxEventBytes = 16_000;
const batchMs = 100;
const firstRetryMs = 1_000;
const maxRetryMs = 300_000;
const deadlineMs = 30_000;

const script = document.currentScript as HTMLScriptElement;
const { app, token, consent } = script.dataset;
const endpoint = new URL(`events/v1/apps/${app}/app-events`, script.src).href;
/** Read once: the router of a page may remove it from the address. */
const clickId = new URLSearchParams(location.search).get("tl_click_id");
const deviceKey = `tl:${app}`;
/** Events are stored one by one, so that tabs do not overwrite each other's. */
const eventPrefix = `${deviceKey}:`;

/** Undefined: not known yet. */
let isAllowed: boolean | undefined = consent === "required" ? undefined : true;
/** Events by the keys they are stored at, the oldest first. */
let queue = new Map<string, AppEvent>();
let deviceId: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isSending = false;
let failures = 0;

/** The result of `use`; undefined if the page has no store or it is full, when only the queue in memory is used. */
function inStore<Result>(use: (store: Storage) => Result): Result | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}

/** Pages without TLS have no `crypto.randomUUID`. */
function uuid(): string {
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (+digit ^ (Number(crypto.getRandomValues(new Uint8Array(1))) & (15 >> (+digit / 4)))).toString(16),
  );
}

function storedKeys(): readonly string[] {
  return inStore((store) => Object.keys(store).filter((key) => key.startsWith(eventPrefix))) ?? [];
}

function forget(key: string): void {
  queue.delete(key);
  inStore((store) => store.removeItem(key));
}

function body(): string {
  const events = [...queue.values()].map((event) => ({ ...event, device: { ...event.device, id: deviceId } }));
  return JSON.stringify({ events });
}

function bytesOf(text: string): number {
  return new Blob([text]).size;
}

/** Called once the page may store and send; adds the events that earlier pages have left. */
function start(): void {
  deviceId = inStore((store) => store.getItem(deviceKey)) || deviceId || uuid();
  inStore((store) => store.setItem(deviceKey, deviceId as string));
  const waiting = queue;
  queue = new Map();
  for (const key of [...storedKeys()].sort()) {
    const event = inStore((store) => JSON.parse(store.getItem(key) as string));
    if (event) queue.set(key, event);
    else forget(key);
  }
  trim();
  for (const [key, event] of waiting) add(key, event);
  schedule(0);
}

function add(key: string, event: AppEvent): void {
  queue.set(key, event);
  if (isAllowed) inStore((store) => store.setItem(key, JSON.stringify(event)));
  trim();
}

/** Drops the oldest events beyond the limits. */
function trim(): void {
  while (queue.size > maxEvents || bytesOf(body()) > maxBytes) forget([...queue.keys()][0] as string);
}

function schedule(afterMs: number): void {
  if (isAllowed && queue.size && !isSending) timer ??= setTimeout(send, afterMs);
}

async function send(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  if (!isAllowed || !queue.size || isSending) return;
  isSending = true;
  const keys = [...queue.keys()];
  let waitMs = 0;
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body(),
      signal: AbortSignal.timeout(deadlineMs),
    });
    const { status } = response;
    waitMs = 1_000 * (Number(response.headers.get("Retry-After")) || 0);
    if (status > 499 || status === 429) throw status;
    // What was refused permanently is not retried.
    if (!response.ok) console.warn("touchledger", status, await response.text());
    const rejected: { index: number; code: string }[] = response.ok ? (await response.json()).data.rejected : [];
    const limited: string[] = [];
    for (const refusal of rejected) {
      const key = keys[refusal.index] as string;
      if (refusal.code === "RATE_LIMITED") limited.push(key);
      else console.warn("touchledger", refusal, queue.get(key));
    }
    for (const key of keys) if (!limited.includes(key)) forget(key);
    failures = limited.length ? failures + 1 : 0;
  } catch {
    failures += 1;
  }
  isSending = false;
  const retryMs = Math.min(firstRetryMs * 2 ** (failures - 1), maxRetryMs) * (0.5 + Math.random() / 2);
  schedule(failures ? Math.max(waitMs, retryMs) : 0);
}

function record(category: string, event: AppEvent = {}): void {
  const now = Date.now();
  const eventId = uuid();
  const recorded = JSON.stringify({
    ...{ eventId, eventTimestamp: now, source: "web", category },
    ...(clickId && { referrer: { clickId } }),
    ...event,
    device: { os: "Web", language: navigator.language, ...event.device },
  });
  if (isAllowed === false || bytesOf(recorded) > maxEventBytes) return;
  // A copy, as the page may change its objects before they are sent.
  add(`${eventPrefix}${now}:${eventId}`, JSON.parse(recorded));
  schedule(batchMs);
}

function decide(allowed: boolean): void {
  if (allowed === isAllowed) return;
  isAllowed = allowed;
  if (allowed) {
    start();
    return;
  }
  for (const key of [...queue.keys(), ...storedKeys(), deviceKey]) forget(key);
  deviceId = undefined;
}

/** A call that cannot be used must not end the code of the page. */
const touchledger = (...call: Call): void => {
  try {
    if (call[0] === "event") record(call[1], call[2]);
    // Anything but `true` is no consent.
    if (call[0] === "consent") decide(call[1] === true);
  } catch (failure) {
    console.error(failure);
  }
};

addEventListener("online", send);
addEventListener("pagehide", () => {
  // A beacon has no headers, and does not report its outcome, so its events stay queued.
  if (isAllowed && queue.size) navigator.sendBeacon(`${endpoint}/beacon?token=${token}`, body());
});

const early = window.touchledger?.q ?? [];
window.touchledger = touchledger;
if (isAllowed) start();
for (const call of early) touchledger(...call);

export {};
