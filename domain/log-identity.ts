import type { DomainEvent } from "./event.ts";

// NOTE storage format

/** The first event of every log: which log this is. */
export type LogOpened = DomainEvent<"LogOpened", { readonly logId: string }>;
