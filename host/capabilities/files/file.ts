/** The bridge of open files: `Deno.open` and `Deno.FsFile` (SPEC PB2). */

import { findOwn, type HostAnswer, ownPath } from "../../../sandbox/mod.ts";
import { FileError, type GuardedFile, type OpenOptions } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext } from "../bridge.ts";
import { bothPaths, type PathAccess, type PathAllowed } from "../checked.ts";
import { act, admit, reportModified } from "./file-act.ts";
import { fileFailure } from "./file-failure.ts";
import { MAX_FILE_BYTES, toDenoInfo } from "./fs.ts";
import { MAX_FILES_OF_A_CALL, type OpenFile, type OpenFiles } from "./open-files.ts";
import { operation } from "../operation.ts";

export const fileBridge: Bridge = {
  name: "file",
  operations: {
    "file.open": operation(
      {
        path: "string",
        read: "boolean?",
        write: "boolean?",
        append: "boolean?",
        truncate: "boolean?",
        create: "boolean?",
        createNew: "boolean?",
        mode: "count?",
      },
      ({ path, mode, ...flags }, context) => {
        const { read = false, write = false, append = false, truncate = false, create = false, createNew = false } = flags;
        return open(path, { read, write, append, truncate, create, createNew, ...(mode !== undefined && { mode }) }, context);
      },
    ),

    "file.read": operation({ id: "string", length: "count" }, ({ id, length }, context, _bytes, makeRoom) =>
      useFile(id, "read", context, async (open) => {
        if (!open.canRead) return notOpenFor("reading");
        const bytes = await open.file.read(open.position, Math.min(length, context.limits.operationBytes), makeRoom);
        open.position += bytes.length;
        return answer(null, bytes);
      }),
    ),

    "file.write": operation({ id: "string" }, ({ id }, context, bytes = new Uint8Array()) =>
      useFile(id, "write", context, async (open) => {
        if (!open.canWrite) return notOpenFor("writing");
        if (!open.append && open.position + bytes.length > MAX_FILE_BYTES) return fileFailure("too_large", "write");
        await open.file.write(bytes, open.append ? "end" : open.position);
        open.position = open.append ? (await open.file.stat()).size : open.position + bytes.length;
        open.changed();
        return answer(bytes.length);
      }),
    ),

    "file.seek": operation({ id: "string", offset: "integer", whence: "count" }, ({ id, offset, whence }, context) =>
      useFile(id, "seek", context, async (open) => {
        if (whence > 2) return failure("TypeError", `Invalid seek mode: ${whence}`);
        const from = whence === 0 ? 0 : whence === 1 ? open.position : (await open.file.stat()).size;
        if (from + offset < 0 || from + offset > Number.MAX_SAFE_INTEGER) return fileFailure("invalid_path", "seek");
        open.position = from + offset;
        return answer(open.position);
      }),
    ),

    "file.truncate": operation({ id: "string", len: "count?" }, ({ id, len = 0 }, context) =>
      useFile(id, "truncate", context, async (open) => {
        if (!open.canWrite) return fileFailure("invalid_path", "truncate");
        if (len > MAX_FILE_BYTES) return fileFailure("too_large", "truncate");
        await open.file.truncate(len);
        open.changed();
        return answer(null);
      }),
    ),

    "file.stat": operation({ id: "string" }, ({ id }, context) =>
      useFile(id, "stat", context, async (open) => answer(toDenoInfo(await open.file.stat()))),
    ),

    "file.sync": operation({ id: "string", dataOnly: "boolean?" }, ({ id, dataOnly = false }, context) =>
      useFile(id, "sync", context, async (open) => {
        await open.file.sync(dataOnly);
        return answer(null);
      }),
    ),

    "file.utime": operation({ id: "string", atimeMs: "integer", mtimeMs: "integer" }, ({ id, atimeMs, mtimeMs }, context) =>
      useFile(id, "utime", context, async (open) => {
        if (!open.canWrite) return notOpenFor("writing");
        await open.file.setTimes(atimeMs, mtimeMs);
        open.changed();
        return answer(null);
      }),
    ),

    "file.close": operation({ id: "string" }, async ({ id }, { openFiles }) =>
      (await openFiles?.closeOne(id)) === true ? answer(null) : noSuchFile(),
    ),
  },
};

async function open(path: string, options: OpenOptions, context: BridgeContext): Promise<HostAnswer> {
  const subject = `open '${path}'`;
  const { openFiles } = context;
  if (openFiles === undefined) return failure("NotSupported", `Files cannot be kept open here; read or write the whole: ${subject}`);
  const own = ownPath(path);
  if (own !== undefined) return openOwn(own, { options, subject, openFiles }, context);
  const checks = admitAll(path, options, subject, context);
  if (!checks.ok) return checks.answer;
  const { allowed } = checks;
  return await act(allowed, subject, context, async () => {
    const id = await openFiles.add(async () => {
      const { file, path: opened } = await openAllowed(checks, options, context);
      const changed = (): void => reportModified(opened, context);
      if (options.truncate || options.create || options.createNew) changed();
      return openFileOf(file, options, changed);
    });
    return id === undefined ? tooMany(subject) : answer(id);
  });
}

interface Checks {
  readonly ok: true;
  readonly read: PathAllowed<"read"> | undefined;
  readonly write: PathAllowed<"write"> | undefined;
  readonly allowed: readonly PathAllowed<PathAccess>[];
}

function admitAll(
  written: string,
  { read, write, append }: OpenOptions,
  subject: string,
  context: BridgeContext,
): Checks | { readonly ok: false; readonly answer: HostAnswer } {
  const toWrite = write || append;
  // Without read or write, the file is opened for reading, so that the grant is checked.
  const reading = read || !toWrite ? admit({ access: "read", written }, subject, context) : undefined;
  if (reading?.ok === false) return reading;
  const writing = toWrite ? admit({ access: "write", written }, subject, context) : undefined;
  if (writing?.ok === false) return writing;
  const allowed = [reading?.allowed, writing?.allowed].filter((one) => one !== undefined);
  return { ok: true, read: reading?.allowed, write: writing?.allowed, allowed };
}

interface Opened {
  readonly file: GuardedFile;
  readonly path: CheckedPath<PathAccess>;
}

async function openAllowed(
  { read, write }: Checks,
  options: OpenOptions,
  { holder, platform: { guarded } }: BridgeContext,
): Promise<Opened> {
  if (write !== undefined) {
    const path = read === undefined ? write.path : bothPaths(read.path, write.path);
    return { file: await guarded.openToWrite(path, { ...options, ...holder }), path };
  }
  if (read === undefined) throw new Error("No path was admitted");
  return { file: await guarded.openToRead(read.path, holder), path: read.path };
}

function openFileOf(file: GuardedFile, { read, write, append }: OpenOptions, changed: () => void): OpenFile {
  return { file, canRead: read, canWrite: write || append, append, position: 0, changed };
}

interface OwnFileRequest {
  readonly options: OpenOptions;
  readonly subject: string;
  readonly openFiles: OpenFiles;
}

/** Opens a plugin's own file from memory; it is covered by the plugin's hash and read-only. */
async function openOwn(own: string, { options, subject, openFiles }: OwnFileRequest, { ownFiles }: BridgeContext): Promise<HostAnswer> {
  if (options.write || options.append) return failure("NotCapable", `A plugin's own files cannot be changed: ${subject}`);
  const node = ownFiles && findOwn(ownFiles, own);
  if (node === undefined) return fileFailure("not_found", subject);
  if (node.kind === "directory") return fileFailure("is_a_directory", subject);
  const id = await openFiles.add(async () => openFileOf(ownFile(node.bytes), options, () => {}));
  return id === undefined ? tooMany(subject) : answer(id);
}

const OWN_PIECE_BYTES = 64 * 1024;

function ownFile(bytes: Uint8Array): GuardedFile {
  const refuse = (): Promise<never> => Promise.reject(new FileError("permission_denied", "A plugin's own files cannot be changed"));
  return {
    // A read may return less than requested; copying more would block the host's thread.
    read: async (position, length) => bytes.slice(position, position + Math.min(length, OWN_PIECE_BYTES)),
    write: refuse,
    truncate: refuse,
    setTimes: refuse,
    stat: async () => ({
      kind: "file",
      size: bytes.length,
      mode: 0o444,
      modifiedMs: 0,
      accessedMs: 0,
      createdMs: 0,
      device: 0,
      inode: 0,
      links: 1,
    }),
    sync: async () => {},
    close: async () => {},
  };
}

async function useFile(
  id: string,
  subject: string,
  { openFiles }: BridgeContext,
  run: (file: OpenFile) => Promise<HostAnswer>,
): Promise<HostAnswer> {
  try {
    return (await openFiles?.use(id, run)) ?? noSuchFile();
  } catch (thrown) {
    // Anything else is a bug in the host.
    if (!(thrown instanceof FileError)) throw thrown;
    return fileFailure(thrown.code, subject);
  }
}

function noSuchFile(): HostAnswer {
  return failure("BadResource", "Bad resource ID");
}

function notOpenFor(what: string): HostAnswer {
  return failure("Error", `Bad file descriptor (os error 9): the file was not opened for ${what}`, "EBADF");
}

function tooMany(subject: string): HostAnswer {
  return failure("Busy", `A call can hold at most ${MAX_FILES_OF_A_CALL} files open (close some first): ${subject}`, "EMFILE");
}
