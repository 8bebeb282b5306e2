import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import type { Expectation } from "./append-rules.ts";

/** Errors as EventStoreDB reports them: a gRPC status, and trailers from which clients make their exceptions. */

export const accessDenied = (): ServiceError =>
  failure(status.PERMISSION_DENIED, "Access Denied", { exception: "access-denied" });
export const unauthenticated = (): ServiceError => failure(status.UNAUTHENTICATED, "Unauthenticated");
export const cancelled = (): ServiceError => failure(status.CANCELLED, "Cancelled");
export const invalidArgument = (message: string): ServiceError => failure(status.INVALID_ARGUMENT, message);
export const resourceExhausted = (message: string): ServiceError => failure(status.RESOURCE_EXHAUSTED, message);
export const unimplemented = (message: string): ServiceError => failure(status.UNIMPLEMENTED, message);

/** The store stops. */
export const stopped = (): ServiceError => failure(status.UNAVAILABLE, "the event store stops");

/** As EventStoreDB refuses a forward read of a stream from its end. */
export const unexpectedReadResult = (): ServiceError => failure(status.UNKNOWN, "Unexpected ReadStreamResult: Error");

/** The store itself failed; a write may or may not have happened. */
export const internal = (cause: unknown): ServiceError =>
  failure(status.INTERNAL, cause instanceof Error ? cause.message : String(cause));

export const maximumAppendSizeExceeded = (bytes: number): ServiceError =>
  failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${bytes} Exceeded.`, {
    exception: "maximum-append-size-exceeded",
    "maximum-append-size": String(bytes),
  });

export const streamDeleted = (stream: string): ServiceError =>
  failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: "stream-deleted",
    "stream-name": stream,
  });

export const missingMetadataProperty = (property: string): ServiceError =>
  failure(status.INVALID_ARGUMENT, `Required Metadata Properties Missing: '${property}'`, {
    exception: "missing-required-metadata-property",
    "required-metadata-properties": property,
  });

const expectedVersions = { any: -2, no_stream: -1, stream_exists: -4 };

/** The error of a tombstone call; an append call responds with a message instead. */
export function wrongExpectedVersion(stream: string, expected: Expectation, lastRevision: number): ServiceError {
  const expectedVersion = String(typeof expected === "number" ? expected : expectedVersions[expected]);
  const message = `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expectedVersion}, Actual version: ${lastRevision}`;
  return failure(status.FAILED_PRECONDITION, message, {
    exception: "wrong-expected-version",
    "stream-name": stream,
    "expected-version": expectedVersion,
    ...(lastRevision < 0 ? {} : { "actual-version": String(lastRevision) }),
  });
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error;
}

function failure(code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError {
  const metadata = new Metadata();
  // Header values are ASCII; EventStoreDB sends other characters percent-encoded.
  for (const [key, value] of Object.entries(trailers))
    metadata.set(key, value.replace(/[^\x20-\x7e]/g, encodeURIComponent));
  return Object.assign(new Error(details), { code, details, metadata });
}
