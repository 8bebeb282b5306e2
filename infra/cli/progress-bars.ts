import { SingleBar } from "cli-progress";

/** Shows how builds get on, one group after the other. */
export interface BuildBars {
  readonly show: (group: string, progress: { readonly events: number; readonly of: number }) => void;
  readonly stop: () => void;
}

/** Bars on standard error with events per second and the time left; nothing where that is no terminal. */
export function buildBars(): BuildBars {
  let current: { readonly group: string; readonly bar: SingleBar; readonly since: number } | null = null;
  const stop = (): void => {
    current?.bar.stop();
    current = null;
  };
  return {
    show: (group, { events, of }) => {
      if (current?.group !== group) {
        stop();
        const bar = new SingleBar({
          format: `${group.padEnd(8)} {bar} {value}/{total} events  {rate} events/s  {eta_formatted} left`,
          etaBuffer: 100,
          hideCursor: true,
        });
        current = { group, bar, since: performance.now() };
        bar.start(Math.max(of, events), 0, { rate: "-" });
      }
      const seconds = (performance.now() - current.since) / 1000;
      current.bar.setTotal(Math.max(of, events));
      current.bar.update(events, { rate: seconds > 0 ? Math.round(events / seconds).toLocaleString("en") : "-" });
    },
    stop,
  };
}

/** Shows how far work of several steps has come. */
export interface StepBars {
  /** `share` of the step is done, from 0 to 1. */
  readonly show: (step: string, share: number) => void;
  readonly stop: () => void;
}

/** A bar on standard error for one step after the other; nothing where that is no terminal. */
export function stepBars(): StepBars {
  let current: { readonly step: string; readonly bar: SingleBar } | null = null;
  const stop = (): void => {
    current?.bar.stop();
    current = null;
  };
  return {
    show: (step, share) => {
      if (current?.step !== step) {
        stop();
        const bar = new SingleBar({ format: `${step.padEnd(16)} {bar} {percentage} %`, hideCursor: true });
        current = { step, bar };
        bar.start(100, 0);
      }
      current.bar.update(Math.floor(share * 100));
    },
    stop,
  };
}

/** Shows how far an upload has come. */
export interface UploadBar {
  readonly show: (status: string) => void;
  readonly stop: () => void;
}

/** The statuses of an upload in their order (contract/uploads.md#status). */
const uploadStates: readonly string[] = ["uploaded", "validated", "ingested", "succeeded"];

/** A bar through the states of an upload on standard error, which stays where it was when the upload fails. */
export function uploadBar(): UploadBar {
  // Its own handling of Ctrl-C would keep the process from ending; so it must not leave the terminal changed.
  const bar = new SingleBar({ format: "{bar} {status}", gracefulExit: false, linewrap: true });
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

/** Shows how far a download has come. */
export interface DownloadBar {
  /** @param of bytes in all; null when that is not known */
  readonly show: (bytes: number, of: number | null) => void;
  readonly stop: () => void;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/**
 * A bar by bytes on standard error, or the bytes so far where their number is not known; nothing where no terminal is.
 */
export function downloadBar(): DownloadBar {
  // As in `uploadBar`, Ctrl-C ends the process and leaves the terminal as it was.
  const options = { gracefulExit: false, linewrap: true };
  let bar: SingleBar | null = null;
  return {
    show: (bytes, of) => {
      const payload = { received: megabytes(bytes), size: of === null ? "" : megabytes(of) };
      if (bar === null) {
        const format = of === null ? "{received} so far" : "{bar} {received} of {size}  {eta_formatted} left";
        bar = new SingleBar({ ...options, format });
        bar.start(of ?? Number.MAX_SAFE_INTEGER, bytes, payload);
      } else {
        bar.update(bytes, payload);
      }
    },
    stop: () => bar?.stop(),
  };
}

/** A dot on standard error for each `show`; nothing where that is no terminal. */
export function waitingDots(): { readonly show: () => void; readonly stop: () => void } {
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
