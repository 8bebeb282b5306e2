// NOTE storage format
import type { DomainEvent } from "../event.ts";

/**
 * A caller has read personal data (contract/administration.md#audit-trail): has received the address of an export's
 * file, has begun to download it, or has read the attributions of a device.
 */
export type PersonalDataRead = DomainEvent<
  "PersonalDataRead",
  { readonly appId: number } & (
    | {
        readonly what: "export_url" | "export_file";
        /** The export's `reportID`. */
        readonly reportId: number;
      }
    | {
        readonly what: "attributions";
        /** The `userId` of the device, a keyed hash of its id. */
        readonly deviceKey: string;
      }
  )
>;
