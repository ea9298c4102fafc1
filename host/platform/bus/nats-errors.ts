/** Errors of the client library, as errors of the bus that say what to do. */

import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { errors, type NatsConnection } from "@nats-io/transport-node";
import { BusError, type BusErrorCode } from "./bus-types.ts";

/** Codes of nats-server that the library does not name. */
const BUCKET_FULL: readonly number[] = [10_047, 10_054, 10_077, 10_122];
const NO_ROOM: readonly number[] = [10_023, 10_028, 10_047];

/** Whether a write was refused because the value's revision is another one. */
export function isOtherRevision(error: unknown): boolean {
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
  return error instanceof JetStreamApiError && (error.code === StreamWrongLastSequence || error.code === StreamWrongLastSequenceUnknown);
}

/** Whether the server has lost a bucket. */
export function isMissingBucket(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Whether nothing takes writes to a bucket: the server has lost it, or has no leader for it. Then the write has not happened. */
export function isUnanswered(error: unknown): boolean {
  return isNamed(error, "JetStreamNotEnabled");
}

interface Connection {
  readonly nc: NatsConnection;
  readonly server: string;
  isConnected(): boolean;
}

/** @param what the act: a subject, or a bucket and what was done */
export function toBusError(error: unknown, what: string, { nc, server, isConnected }: Connection): BusError {
  if (error instanceof BusError) return error;
  const [code, message] = describe();
  return new BusError(code, `${what}: ${message}`, error);

  function describe(): readonly [BusErrorCode, string] {
    if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError)
      return ["closed", `the connection to ${server} is closed`];
    if (!isConnected()) return ["disconnected", `the connection to ${server} was lost, so it is unknown whether it happened`];
    if (error instanceof errors.TimeoutError) return ["timeout", `${server} did not answer in time, so it is unknown whether it happened`];
    if (isUnanswered(error)) {
      if (nc.info?.jetstream === true) return ["timeout", `${server} has no leader for it at the moment. Try again`];
      return [
        "refused",
        `JetStream is not enabled on ${server}: start nats-server with -js, or with a jetstream block in its configuration`,
      ];
    }
    if (error instanceof JetStreamApiError) {
      if (NO_ROOM.includes(error.code) && /create|open/.test(what))
        return [
          "refused",
          `${server} has no room for it (${error.message}): raise max_file_store in the jetstream block of its configuration`,
        ];
      if (BUCKET_FULL.includes(error.code)) return ["too_large", `it does not fit (${error.message})`];
      return ["refused", `${server} refused it: ${error.message}`];
    }
    if (error instanceof errors.PermissionViolationError || error instanceof errors.AuthorizationError)
      return ["refused", `${server} does not permit it to this user: ${error.message}`];
    // The connection ended while the act was under way; the status follows.
    if (error instanceof errors.RequestError) return ["disconnected", `the connection to ${server} was lost (${error.message})`];
    return ["refused", error instanceof Error ? error.message : String(error)];
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
