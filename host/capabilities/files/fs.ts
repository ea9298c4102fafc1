/** The file bridge: `Deno.readFile` and others, as operations on guarded files (SPEC C4, PB1). */

import type { JsonValue } from "../../../manifests/mod.ts";
import { type HostAnswer, ownPath } from "../../../sandbox/mod.ts";
import type { FileInfo } from "../../platform/platform.ts";
import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext } from "../bridge.ts";
import { bothPaths } from "../checked.ts";
import { act, actOn, admit, isOver, reportModified } from "./file-act.ts";
import { fileFailure } from "./file-failure.ts";
import { listDirectory } from "./list-directory.ts";
import { operation } from "../operation.ts";
import { makeTemp } from "./temp.ts";

/** Largest size for `truncate`: a sparse file costs nothing to create and much to read. */
export const MAX_FILE_BYTES: number = 2 ** 40;

/** Maximum bytes of one copy, which stays in the host. */
const MAX_COPY_BYTES = 2 ** 30;

export const fsBridge: Bridge = {
  name: "fs",
  operations: {
    "fs.readFile": operation(
      { path: "string" },
      async ({ path }, context, _bytes, makeRoom) =>
        await actOn({ access: "read", written: path }, `readfile '${path}'`, context, async (checked) =>
          answer(null, await context.platform.guarded.readBytes(checked, { maxBytes: context.limits.operationBytes, makeRoom })),
        ),
    ),

    "fs.writeFile": operation(
      { path: "string", append: "boolean?", create: "boolean?", createNew: "boolean?", mode: "count?" },
      async ({ path, ...options }, context, bytes = new Uint8Array()) =>
        await actOn({ access: "write", written: path }, `writefile '${path}'`, context, async (checked) => {
          await context.platform.guarded.writeBytes(checked, bytes, withoutUndefined(options));
          return answer(null);
        }),
    ),

    "fs.readDir": operation(
      { path: "string" },
      async ({ path }, context) => await listDirectory(path, `readdir '${path}'`, context, ({ name, kind }) => toEntry(name, kind)),
    ),

    "fs.stat": operation({ path: "string" }, ({ path }, context) => inspect(path, "stat", context)),
    "fs.lstat": operation({ path: "string" }, ({ path }, context) => inspect(path, "lstat", context)),

    "fs.realPath": operation(
      { path: "string" },
      async ({ path }, context) =>
        await actOn({ access: "read", written: path }, `realpath '${path}'`, context, async (checked) =>
          answer(await context.platform.guarded.realPath(checked)),
        ),
    ),

    "fs.mkdir": operation(
      { path: "string", recursive: "boolean?", mode: "count?" },
      async ({ path, recursive = false, mode }, context) =>
        await actOn({ access: "write", written: path }, `mkdir '${path}'`, context, async (checked) => {
          await context.platform.guarded.makeDirectory(checked, { recursive, ...(mode !== undefined && { mode }) });
          return answer(null);
        }),
    ),

    "fs.remove": operation(
      { path: "string", recursive: "boolean?" },
      async ({ path, recursive = false }, context) =>
        await actOn({ access: "write", written: path, deep: recursive }, `remove '${path}'`, context, async (checked) => {
          await context.platform.guarded.remove(checked, { recursive, isOver: () => isOver(context) });
          return answer(null);
        }),
    ),

    "fs.rename": operation({ from: "string", to: "string" }, ({ from, to }, context) => rename(from, to, context)),
    "fs.copyFile": operation({ from: "string", to: "string" }, ({ from, to }, context) => copyFile(from, to, context)),

    "fs.truncate": operation({ path: "string", len: "count?" }, async ({ path, len = 0 }, context) => {
      const subject = `truncate '${path}'`;
      if (len > MAX_FILE_BYTES) return fileFailure("too_large", subject);
      return await actOn({ access: "write", written: path }, subject, context, async (checked) => {
        await context.platform.guarded.truncate(checked, len);
        return answer(null);
      });
    }),

    "fs.makeTempFile": operation({ dir: "string?", prefix: "string?", suffix: "string?" }, (request, context) =>
      makeTemp("file", request, context),
    ),
    "fs.makeTempDir": operation({ dir: "string?", prefix: "string?", suffix: "string?" }, (request, context) =>
      makeTemp("directory", request, context),
    ),
  },
};

/**
 * Requires the same permissions as Deno: read and write for the old name, write for the new one. A folder moves with everything below it.
 */
async function rename(from: string, to: string, context: BridgeContext): Promise<HostAnswer> {
  const subject = `rename '${from}' -> '${to}'`;
  const read = admit({ access: "read", written: from, deep: true }, subject, context);
  if (!read.ok) return read.answer;
  const source = admit({ access: "write", written: from, deep: true }, subject, context);
  if (!source.ok) return source.answer;
  const target = admit({ access: "write", written: to, deep: true }, subject, context);
  if (!target.ok) return target.answer;

  const checked = bothPaths(read.allowed.path, source.allowed.path);
  const done = await act([read.allowed, source.allowed, target.allowed], subject, context, async () => {
    await context.platform.guarded.rename(checked, target.allowed.path);
    return answer(null);
  });
  if (done.ok) for (const { path } of [source.allowed, target.allowed]) reportModified(path, context);
  return done;
}

async function copyFile(from: string, to: string, context: BridgeContext): Promise<HostAnswer> {
  const subject = `copy '${from}' -> '${to}'`;
  if (ownPath(from) !== undefined)
    return failure("NotSupported", `A plugin's own file cannot be copied; read it and write its contents: ${subject}`);
  const source = admit({ access: "read", written: from }, subject, context);
  if (!source.ok) return source.answer;
  const target = admit({ access: "write", written: to }, subject, context);
  if (!target.ok) return target.answer;

  const done = await act([source.allowed, target.allowed], subject, context, async () => {
    const { size } = await context.platform.guarded.stat(source.allowed.path);
    const excess = context.meter.spend("bytesRead", size) ?? context.meter.spend("bytesWritten", size);
    if (excess !== undefined) return failure("RangeError", excess.message);
    await context.platform.guarded.copy(source.allowed.path, target.allowed.path, {
      maxBytes: MAX_COPY_BYTES,
      isOver: () => isOver(context),
    });
    return answer(null);
  });
  if (done.ok) reportModified(target.allowed.path, context);
  return done;
}

async function inspect(path: string, how: "stat" | "lstat", context: BridgeContext): Promise<HostAnswer> {
  return await actOn({ access: "read", written: path }, `${how} '${path}'`, context, async (checked) =>
    answer(toDenoInfo(await context.platform.guarded[how](checked))),
  );
}

/** Converts to `Deno.FileInfo`, with times as numbers. Device and inode stay in the host. */
export function toDenoInfo({ kind, size, mode, modifiedMs, accessedMs, createdMs }: FileInfo): JsonValue {
  return { ...kindFlags(kind), size, mtimeMs: modifiedMs, atimeMs: accessedMs, birthtimeMs: createdMs, mode };
}

function toEntry(name: string, kind: FileInfo["kind"]): JsonValue {
  return { name, ...kindFlags(kind) };
}

function kindFlags(kind: FileInfo["kind"]): { readonly isFile: boolean; readonly isDirectory: boolean; readonly isSymlink: boolean } {
  return { isFile: kind === "file", isDirectory: kind === "directory", isSymlink: kind === "symlink" };
}

/** Omits undefined options, for `exactOptionalPropertyTypes`. */
function withoutUndefined<T extends Readonly<Record<string, unknown>>>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Only keys with a value remain.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
