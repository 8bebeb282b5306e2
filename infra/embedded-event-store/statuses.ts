import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { Expectation } from "./append-rules.ts";

/** Errors as the real server reports them: a gRPC status, and trailers from which clients make their exceptions. */

export function accessDenied(): ServiceError {
  return failure(status.PERMISSION_DENIED, "Access Denied", { exception: "access-denied" });
}

export function unauthenticated(): ServiceError {
  return failure(status.UNAUTHENTICATED, "Unauthenticated", {});
}

export function maximumAppendSizeExceeded(bytes: number): ServiceError {
  return failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${bytes} Exceeded.`, {
    exception: "maximum-append-size-exceeded",
    "maximum-append-size": String(bytes),
  });
}

export function streamDeleted(stream: string): ServiceError {
  return failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });
}

/** As a tombstone call reports it; an append call answers with a message instead. */
export function wrongExpectedVersion(stream: string, expected: Expectation, lastRevision: number): ServiceError {
  const expectedVersion = String(typeof expected === "number" ? expected : EXPECTED_VERSIONS[expected]);
  const message = `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expectedVersion}, Actual version: ${lastRevision}`;
  return failure(status.FAILED_PRECONDITION, message, {
    exception: "wrong-expected-version",
    "stream-name": stream,
    "expected-version": expectedVersion,
    ...(lastRevision < 0 ? {} : { "actual-version": String(lastRevision) }),
  });
}

const EXPECTED_VERSIONS = { any: -2, no_stream: -1, stream_exists: -4 };

export function missingMetadataProperty(property: string): ServiceError {
  return failure(status.INVALID_ARGUMENT, `Required Metadata Properties Missing: '${property}'`, {
    exception: "missing-required-metadata-property",
    "required-metadata-properties": property,
  });
}

export function cancelled(): ServiceError {
  return failure(status.CANCELLED, "Cancelled", {});
}

export function invalidArgument(message: string): ServiceError {
  return failure(status.INVALID_ARGUMENT, message, {});
}

export function resourceExhausted(message: string): ServiceError {
  return failure(status.RESOURCE_EXHAUSTED, message, {});
}

export function unimplemented(message: string): ServiceError {
  return failure(status.UNIMPLEMENTED, message, {});
}

/** The store itself failed; a write may or may not have happened. */
export function internal(cause: unknown): ServiceError {
  return failure(status.INTERNAL, cause instanceof Error ? cause.message : String(cause), {});
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error;
}

function failure(code: status, details: string, trailers: Readonly<Record<string, string>>): ServiceError {
  const metadata = new Metadata();
  // Header values are ASCII; names outside of it travel as the real server sends them, in percent encoding.
  for (const [key, value] of Object.entries(trailers))
    metadata.set(key, value.replace(/[^\x20-\x7e]/g, encodeURIComponent));
  return Object.assign(new Error(details), { code, details, metadata });
}
