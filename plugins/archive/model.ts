/** The model that every archive format is read into, and the bounds that hold for all of them. */

/** One member of an archive. `name` is untrusted: before a file is written, `safe-path.ts` checks it. */
export interface Member {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** Unpacked size in bytes, as the archive states it. */
  readonly size: number;
  /** Modification time as stored in the archive; some formats store local time without a zone. */
  readonly modified?: string;
  /** Target of a link. */
  readonly target?: string;
  /** Why the contents cannot be read. */
  readonly unreadable?: string;
}

export interface Archive {
  readonly format: "zip" | "tar" | "tar.gz" | "7z";
  readonly members: readonly Member[];
  /** @throws {Error} if the data is damaged, or does not match what the archive states. */
  read(member: Member): Promise<Uint8Array>;
}

/** Maximum size of an archive in bytes: it is held in memory. */
export const MAX_ARCHIVE_BYTES: number = 48 * 1024 * 1024;
/** Maximum unpacked bytes of one member, and of data that is unpacked in one piece. */
export const MAX_MEMBER_BYTES: number = 32 * 1024 * 1024;
/** Maximum unpacked bytes of all members that one call reads. */
export const MAX_TOTAL_BYTES: number = 128 * 1024 * 1024;
export const MAX_MEMBERS = 20_000;
