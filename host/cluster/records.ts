/** Records of calls in the cluster's bucket, signed by the members that write them, and changed by compare-and-set only (SPEC CL2, CL6). */

import type { JsonObject } from "../../manifests/mod.ts";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import type { Link } from "./link.ts";
import { readRecord, type RecordHeader } from "./messages.ts";
import { recordSubject } from "./names.ts";
import type { Carried } from "./values.ts";

/** A record as it was read. */
export interface StoredRecord {
  readonly header: RecordHeader;
  /** The result of an ended call. */
  readonly payload: Uint8Array;
  readonly revision: number;
  /** The whole record, to be passed on. */
  readonly envelope: Uint8Array;
}

/** A record that this member writes. */
interface NewRecord {
  readonly header: RecordHeader;
  readonly payload?: Carried;
}

/** A record was not written by a member. */
export class AlteredRecord extends Error {
  override readonly name = "AlteredRecord";
}

export interface Records {
  /** @throws {BusError | AlteredRecord} */
  read(key: string): Promise<StoredRecord | undefined>;
  /** @returns the revision; undefined if there is a record. @throws {BusError} then the record may have been written */
  create(record: NewRecord): Promise<StoredRecord | undefined>;
  /** @returns undefined if the record has changed since `revision`. @throws {BusError} then the record may have been written */
  replace(record: NewRecord, revision: number): Promise<StoredRecord | undefined>;
}

/** @param senders of valid records: the members, and this process */
export function createRecords(link: Link, senders: () => ReadonlyMap<string, string>): Records {
  const { cluster, identity, platform } = link;

  function seal({ header, payload }: NewRecord): Uint8Array {
    const { payload: bytes, large } = payload ?? {};
    // A header is JSON; only its interface lacks an index signature.
    const json = { ...header, ...(large && { large: { ...large } }), at: platform.clock.now() } as unknown as JsonObject;
    return sealEnvelope(identity, recordSubject(cluster, header.key), json, bytes);
  }

  const stored = ({ header, payload }: NewRecord, envelope: Uint8Array, revision: number | undefined): StoredRecord | undefined =>
    revision === undefined ? undefined : { header, payload: payload?.payload ?? new Uint8Array(), revision, envelope };

  return {
    async read(key) {
      const found = await (await link.calls()).get(key);
      if (found === undefined) return undefined;
      const opened = openRecord(link, key, found.bytes, senders());
      if (typeof opened === "string") throw new AlteredRecord(`The record of the call cannot be used: ${opened}`);
      return { ...opened, revision: found.revision, envelope: found.bytes };
    },
    async create(record) {
      const envelope = seal(record);
      return stored(record, envelope, await (await link.calls()).create(record.header.key, envelope));
    },
    async replace(record, revision) {
      const envelope = seal(record);
      return stored(record, envelope, await (await link.calls()).update(record.header.key, envelope, revision));
    },
  };
}

/** Opens a record that a member wrote. Returns the reason if it is not one of this call. */
export function openRecord(
  { identities, cluster }: Pick<Link, "identities" | "cluster">,
  key: string,
  bytes: Uint8Array,
  senders: ReadonlyMap<string, string>,
): Pick<StoredRecord, "header" | "payload"> | string {
  const opened = openEnvelope(bytes, recordSubject(cluster, key), { identities, senders });
  if (!opened.ok) return opened.reason;
  const header = readRecord(opened.message.header);
  if (header === undefined || header.key !== key) return "it is not a record of this call";
  return { header, payload: opened.message.payload };
}
