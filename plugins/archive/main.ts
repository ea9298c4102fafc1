/**
 * Tools that list, search and unpack zip, tar, tar.gz and 7z files of the workspace.
 *
 * Archives are untrusted. No file is written before every wanted member is known to be harmless, and nothing is unpacked without
 * a bound on its size.
 */

import { readArchive } from "./archive.ts";
import { type Archive, MAX_ARCHIVE_BYTES, MAX_MEMBER_BYTES, MAX_TOTAL_BYTES, type Member } from "./model.ts";
import type {
  ArchiveExtractArgs,
  ArchiveExtractOutput,
  ArchiveFileArgs,
  ArchiveFileOutput,
  ArchiveOpenArgs,
  ArchiveOpenOutput,
  ArchiveSearchArgs,
  ArchiveSearchOutput,
} from "./bascule.d.ts";
import { placeMembers } from "./safe-path.ts";
import { type Found, matcherOf, searchText, textOf } from "./search.ts";

const DEFAULT_SHOWN = 200;
const DEFAULT_BYTES = 50_000;
const DEFAULT_MATCHES = 100;
const MAX_SEARCHED_BYTES: number = 2 * 1024 * 1024;
const MAX_EXTRACTED = 2_000;
const MAX_REASONS = 5;

/** Lists the members of an archive. */
export async function archive_open(args: ArchiveOpenArgs): Promise<ArchiveOpenOutput> {
  const { format, members } = await open(args.path);
  const wanted = args.containing?.toLowerCase();
  const listed = wanted === undefined ? members : members.filter(({ name }) => name.toLowerCase().includes(wanted));
  const most = args.maxMembers ?? DEFAULT_SHOWN;
  return {
    format,
    members: listed.slice(0, most).map(({ name, kind, size, modified, target, unreadable }) => ({
      ...{ name, kind, size },
      ...(modified !== undefined && { modified }),
      ...(target !== undefined && { target }),
      ...(unreadable !== undefined && { unreadable }),
    })),
    memberCount: members.length,
    totalBytes: totalOf(members),
    complete: listed.length <= most,
  };
}

/** Unpacks members into a folder: all wanted members, or none. */
export async function archive_extract(args: ArchiveExtractArgs): Promise<ArchiveExtractOutput> {
  const archive = await open(args.path);
  const wanted = args.members === undefined ? archive.members : selectMembers(archive, args.members, args.path);
  const { placed, skipped, refused } = placeMembers(wanted);
  if (refused.length > 0) throw new Error(refusal(args.path, refused));
  if (placed.length > MAX_EXTRACTED)
    throw new Error(`Cannot extract ${placed.length} files at once (name at most ${MAX_EXTRACTED} under "members")`);
  const bytes = totalOf(placed.map(({ member }) => member));
  if (bytes > MAX_TOTAL_BYTES)
    throw new Error(`Cannot extract ${bytes} bytes at once, more than ${MAX_TOTAL_BYTES} (name fewer files under "members")`);
  const to = args.to.replace(/\/+$/u, "");
  const files = placed.map(({ member, path }) => ({ member, path: `${to}/${path}` }));
  if (args.overwrite !== true) await requireFree(files.map(({ path }) => path));
  for (const { member, path } of files) {
    const content = await read(archive, member, args.path);
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(path, content, args.overwrite === true ? {} : { createNew: true });
  }
  return { files: files.map(({ member, path }) => ({ path: nameFromHere(path), size: member.size })), bytes, skipped: [...skipped] };
}

/** Reads one member. */
export async function archive_file(args: ArchiveFileArgs): Promise<ArchiveFileOutput> {
  const archive = await open(args.path);
  const [member, another] = selectMembers(archive, [args.member], args.path).filter(({ kind }) => kind !== "folder");
  if (member === undefined) throw new Error(`"${args.member}" is a folder (archive_open lists its members)`);
  if (another !== undefined)
    throw new Error(`Several members are named "${args.member}", so the name is ambiguous (the archive may be malicious)`);
  if (member.kind !== "file")
    throw new Error(`"${args.member}" is ${member.kind === "link" ? `a link to "${member.target ?? "somewhere"}"` : "not a regular file"}`);
  const content = await read(archive, member, args.path);
  const { offset = 0, maxBytes = DEFAULT_BYTES } = args;
  const text = textOf(content);
  const part = text === undefined ? content.subarray(offset, offset + maxBytes) : wholeCharacters(content, offset, maxBytes);
  const end = Math.min(offset, content.length) + part.length;
  return {
    ...{ member: member.name, size: content.length },
    ...(text === undefined ? { base64: part.toBase64() } : { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(part) }),
    ...(end < content.length && { nextOffset: end }),
  };
}

/** Finds matching lines in all members that are text. */
export async function archive_search(args: ArchiveSearchArgs): Promise<ArchiveSearchOutput> {
  const matcher = matcherOf(args.pattern, args.regex ?? false, args.ignoreCase ?? false);
  const archive = await open(args.path);
  const wanted = args.containing?.toLowerCase() ?? "";
  const most = args.maxMatches ?? DEFAULT_MATCHES;
  const matches: Found[] = [];
  let [membersSearched, membersSkipped, bytes] = [0, 0, 0];
  for (const member of archive.members) {
    if (member.kind !== "file" || !member.name.toLowerCase().includes(wanted)) continue;
    const isReadable = member.unreadable === undefined && member.size <= MAX_SEARCHED_BYTES;
    if (isReadable) bytes += member.size;
    if (bytes > MAX_TOTAL_BYTES) return { matches, membersSearched, membersSkipped, complete: false };
    const text = isReadable ? textOf(await read(archive, member, args.path)) : undefined;
    if (text === undefined) {
      membersSkipped += 1;
      continue;
    }
    membersSearched += 1;
    // Requests one more match than wanted, to know whether there are more.
    matches.push(...searchText(text, matcher, member.name, most + 1 - matches.length));
    if (matches.length > most) return { matches: matches.slice(0, most), membersSearched, membersSkipped, complete: false };
  }
  return { matches, membersSearched, membersSkipped, complete: true };
}

async function open(path: string): Promise<Archive> {
  const { size } = await Deno.stat(path);
  if (size > MAX_ARCHIVE_BYTES)
    throw new Error(`Cannot read "${nameFromHere(path)}": it has ${size} bytes, more than ${MAX_ARCHIVE_BYTES}`);
  return await saying(path, async () => await readArchive(await Deno.readFile(path)));
}

async function read(archive: Archive, member: Member, path: string): Promise<Uint8Array> {
  return await saying(`${path}" member "${member.name}`, async () => {
    if (member.unreadable !== undefined) throw new Error(member.unreadable);
    if (member.size > MAX_MEMBER_BYTES) throw new Error(`it unpacks to ${member.size} bytes, more than ${MAX_MEMBER_BYTES}`);
    return await archive.read(member);
  });
}

/** Adds the name of the archive or member to an error. The sandbox's own errors (not granted, not found) already have it. */
async function saying<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "Error") throw error;
    throw new Error(`Cannot read "${nameFromHere(what)}": ${error.message}`);
  }
}

/** Selects members by name; the name of a folder selects everything in it. */
function selectMembers({ members }: Archive, names: readonly string[], path: string): readonly Member[] {
  const selected = new Set<Member>();
  for (const name of names) {
    const folder = name.endsWith("/") ? name : `${name}/`;
    const found = members.filter((member) => member.name === name || member.name.startsWith(folder));
    if (found.length === 0) throw new Error(`Member "${name}" not found in "${nameFromHere(path)}" (archive_open lists the members)`);
    for (const member of found) selected.add(member);
  }
  return [...selected];
}

function refusal(path: string, refused: readonly { readonly name: string; readonly reason: string }[]): string {
  const shown = refused.slice(0, MAX_REASONS).map(({ name, reason }) => `${JSON.stringify(name)}: ${reason}`);
  const more = refused.length > MAX_REASONS ? `, and ${refused.length - MAX_REASONS} more` : "";
  return `Cannot extract "${nameFromHere(path)}", nothing was written: ${shown.join("; ")}${more} (list the wanted members under "members", or read one with archive_file)`;
}

async function requireFree(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await Deno.lstat(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      throw error;
    }
    throw new Error(`"${nameFromHere(path)}" already exists, nothing was written (set "overwrite", or extract to another folder)`);
  }
}

/** Returns at least one character and cuts no character at either end. */
function wholeCharacters(bytes: Uint8Array, offset: number, most: number): Uint8Array {
  const isInside = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  if (isInside(offset)) throw new Error(`Byte ${offset} is in the middle of a character (use "nextOffset" of the previous result)`);
  let end = Math.min(offset + most, bytes.length);
  while (end > offset && isInside(end)) end -= 1;
  if (end === offset) for (end = offset + 1; isInside(end);) end += 1;
  return bytes.subarray(offset, end);
}

function totalOf(members: readonly Member[]): number {
  return members.reduce((sum, { size }) => sum + size, 0);
}

/** Shortens a path to how a user in the working directory would write it. */
function nameFromHere(path: string): string {
  const base = `${Deno.cwd()}/`;
  return path.startsWith(base) ? path.slice(base.length) : path.replace(/^\.\//u, "");
}
