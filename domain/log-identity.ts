import type { DomainEvent } from "./recorded-event.ts";

// NOTE storage format

/** The first event of every log: which log this is (design 7, identity of the log). */
export type LogOpened = DomainEvent<"LogOpened", { readonly logId: string }>;
