import { MultiBar, type Options, Presets, SingleBar } from "cli-progress";

/** Shows progress on standard error. */
interface Progress<Shown extends readonly unknown[]> {
  readonly show: (...shown: Shown) => void;
  readonly stop: () => void;
}

// The library's own handling of Ctrl-C would keep the process running, so bars must not change the terminal's settings.
const endsOnSignals = { gracefulExit: false, linewrap: true };

/** One bar at a time: a new name ends the previous bar. */
function sequentialBars(optionsOf: (name: string) => Options) {
  let current: { readonly name: string; readonly bar: SingleBar; readonly since: number } | null = null;
  const stop = (): void => {
    current?.bar.stop();
    current = null;
  };
  return {
    stop,
    update: (name: string, value: number, total: number, payload: (seconds: number) => object): void => {
      if (current?.name !== name) {
        stop();
        current = { name, bar: new SingleBar({ ...endsOnSignals, ...optionsOf(name) }), since: performance.now() };
        current.bar.start(total, 0, payload(0));
      }
      current.bar.setTotal(total);
      current.bar.update(value, payload((performance.now() - current.since) / 1000));
    },
  };
}

type BuildProgress = Progress<[group: string, progress: { readonly events: number; readonly of: number }]>;

const eventRate = (events: number, seconds: number): string =>
  seconds > 0 ? Math.round(events / seconds).toLocaleString("en") : "-";

/**
 * How many events each projection group has applied, with events per second: a bar with the time left or, where standard
 * error is no terminal, a line every ten seconds.
 */
export function buildProgress(): BuildProgress {
  const left = process.stderr.isTTY ? "  {eta_formatted} left" : "";
  const bars = sequentialBars((group) => ({
    format: `${group.padEnd(8)} {bar} {value}/{total} events  {rate} events/s${left}`,
    etaBuffer: 100,
    noTTYOutput: true,
    notTTYSchedule: 10_000,
  }));
  return {
    show: (group, { events, of }) =>
      bars.update(group, events, Math.max(of, events), (seconds) => ({ rate: eventRate(events, seconds) })),
    stop: bars.stop,
  };
}

/** The share of each step that is done, from 0 to 1. */
export function stepBars(): Progress<[step: string, share: number]> {
  const bars = sequentialBars((step) => ({ format: `${step.padEnd(16)} {bar} {percentage} %` }));
  return { show: (step, share) => bars.update(step, Math.floor(share * 100), 100, () => ({})), stop: bars.stop };
}

/** How many of each total are done, as bars below one another; as lines where standard error is no terminal. */
export function countBars(totals: Readonly<Record<string, number>>): Progress<[name: string, done: number]> {
  const format = "  {name} {bar} {value}/{total}";
  const bars = new MultiBar(
    { ...endsOnSignals, format, noTTYOutput: true, notTTYSchedule: 5_000 },
    Presets.shades_classic,
  );
  const named = new Map(
    Object.entries(totals).map(([name, total]) => [name, bars.create(total, 0, { name: name.padEnd(12) })]),
  );
  return { show: (name, done) => named.get(name)?.update(done), stop: () => bars.stop() };
}

/** The statuses of an upload in their order (contract/uploads.md#status). */
const uploadStates: readonly string[] = ["uploaded", "validated", "ingested", "succeeded"];

/** The status of an upload; when it fails, the bar stays where it was. */
export function uploadBar(): Progress<[status: string]> {
  const bar = new SingleBar({ ...endsOnSignals, format: "{bar} {status}" });
  bar.start(uploadStates.length, 0, { status: "" });
  return {
    show: (status) => {
      const reached = uploadStates.indexOf(status) + 1;
      if (reached > 0) bar.update(reached, { status });
      else bar.update({ status });
    },
    stop: () => bar.stop(),
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Received bytes of a download; `of` is their total, null when it is unknown. */
export function downloadBar(): Progress<[bytes: number, of: number | null]> {
  let bar: SingleBar | null = null;
  return {
    show: (bytes, of) => {
      const payload = { received: megabytes(bytes), size: of === null ? "" : megabytes(of) };
      if (bar === null) {
        const format = of === null ? "{received} so far" : "{bar} {received} of {size}  {eta_formatted} left";
        bar = new SingleBar({ ...endsOnSignals, format });
        bar.start(of ?? Number.MAX_SAFE_INTEGER, bytes, payload);
      } else {
        bar.update(bytes, payload);
      }
    },
    stop: () => bar?.stop(),
  };
}

/** A dot for each `show`. */
export function waitingDots(): Progress<[]> {
  let dots = 0;
  return {
    show: () => {
      if (!process.stderr.isTTY) return;
      process.stderr.write(".");
      dots += 1;
    },
    stop: () => {
      if (dots > 0) process.stderr.write("\n");
    },
  };
}
