// NOTE storage format
import type { DomainEvent } from "../event.ts";

/**
 * Somebody has read data about single people (contract/administration.md#audit-trail): was given the address of an export's
 * file, or has begun to download it.
 */
export type PersonalDataRead = DomainEvent<
  "PersonalDataRead",
  {
    readonly appId: number;
    readonly what: "export_url" | "export_file";
    /** The export's `reportID`. */
    readonly reportId: number;
  }
>;
