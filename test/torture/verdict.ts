/** A report that was saved while things broke, and the same as of its position once they were whole. */
interface ComparedReport {
  readonly asOf: string;
  readonly saved: string;
  readonly again: string;
}

/** A backup that was begun while everything ran, and restored into another directory. */
export interface Backup {
  /** The ids of the app events that were acknowledged before it began. */
  readonly promised: readonly string[];
  /** Its events with their ids; of app events also those of the app. */
  readonly logged: readonly { readonly id: string; readonly eventId: string | null }[];
  /** What a command on it has said that failed; empty when none did. */
  readonly failure: string;
}

/** Everything that is judged once all faults have ended. */
export interface Evidence {
  /** Ids that clients were promised. */
  readonly clicks: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
  /** Visits without an answer: each may count or not. */
  readonly unansweredVisits: number;
  /** The ids of all events of the log, in their order. */
  readonly log: readonly string[];
  /** Answers that took longer than five seconds, of a process that was not frozen. */
  readonly late: readonly string[];
  /** The ids in the log, one for each time that they are recorded. */
  readonly loggedClicks: readonly string[];
  /** Each may be recorded again by another process, which its client has sent it to; it counts once. */
  readonly loggedEvents: ReadonlySet<string>;
  /** What the report of everything counts. */
  readonly counted: { readonly clicks: number; readonly installs: number };
  readonly reports: readonly ComparedReport[];
  readonly backups: readonly Backup[];
  /** Positions of events of a wrong shape, and of those that are parked. */
  readonly poisoned: ReadonlySet<string>;
  readonly parked: ReadonlySet<string>;
  /** What faults have seen themselves that does not hold. */
  readonly breaches: readonly string[];
  readonly verify: { readonly code: number; readonly out: string; readonly err: string };
  /** What each process has written to standard output and standard error. */
  readonly outputs: readonly string[];
}

/** What does not hold; empty when everything does. */
export function breachesIn(evidence: Evidence): readonly string[] {
  const { clicks, events, unansweredVisits, late, loggedClicks, loggedEvents, counted, reports, verify } = evidence;
  const inLog = new Set(loggedClicks);
  const found = [
    ...idsThat("lost", "click", missing(clicks, inLog)),
    ...idsThat("doubled", "click", repeated(loggedClicks)),
    ...idsThat("lost", "event", missing(events, loggedEvents)),
    ...late.map((answer) => `late: ${answer}`),
    ...reports.filter(({ saved, again }) => again !== saved).map(({ asOf }) => `the report as of ${asOf} has changed`),
    ...evidence.backups.flatMap((backup) => breachesOfBackup(backup, evidence.log)),
    ...missing(evidence.poisoned, evidence.parked).map((position) => `the poison at ${position} is not parked`),
    ...missing(evidence.parked, evidence.poisoned).map((position) => `the event at ${position} is parked`),
    ...evidence.breaches,
    ...evidence.outputs.flatMap((text) => text.match(/^.*(uncaught|unhandled).*$/gim) ?? []),
  ];
  if (inLog.size > clicks.size + unansweredVisits) {
    found.push(`the log has ${inLog.size} clicks of ${clicks.size + unansweredVisits} visits`);
  }
  if (counted.clicks !== inLog.size) found.push(`the report counts ${counted.clicks} clicks of ${inLog.size}`);
  if (counted.installs !== events.size) {
    found.push(`the report counts ${counted.installs} installs of ${events.size}`);
  }
  if (!isSame(verify, evidence.parked.size > 0)) found.push(`verify: ${verify.out}${verify.err}`);
  return found;
}

/** Whether a verification has found no difference; events that are parked make its exit code 1. */
export function isSame({ code, out }: { readonly code: number; readonly out: string }, hasParked: boolean): boolean {
  return (
    code === 0 ||
    (hasParked && out.includes("Events left out of the read models and of the replay") && !out.includes("DIFFERS"))
  );
}

function breachesOfBackup({ promised, logged, failure }: Backup, log: readonly string[]): readonly string[] {
  if (failure !== "") return [`a backup: ${failure}`];
  const inBackup = new Set(logged.map(({ eventId }) => eventId ?? ""));
  const isBeginning = logged.every(({ id }, place) => id === log[place]);
  return [
    ...idsThat("not in a backup", "event", missing(new Set(promised), inBackup)),
    ...(isBeginning ? [] : ["a backup is not the beginning of the log"]),
  ];
}

const maxNamed = 3;

function idsThat(fate: string, kind: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > maxNamed ? " and others" : "";
  return [`${fate}: ${ids.length} ${kind}${ids.length > 1 ? "s" : ""} (${ids.slice(0, maxNamed).join(", ")}${more})`];
}

function missing(ids: ReadonlySet<string>, present: ReadonlySet<string>): readonly string[] {
  return [...ids].filter((id) => !present.has(id));
}

function repeated(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))];
}

/** Prints the verdict; answers the exit code of the process, 1 when anything is breached. */
export function conclude(evidence: Evidence, print: (line: string) => void): 0 | 1 {
  const breaches = breachesIn(evidence);
  print(breaches.length === 0 ? "Everything acknowledged is counted once." : `Breaches:\n${breaches.join("\n")}`);
  return breaches.length === 0 ? 0 : 1;
}
