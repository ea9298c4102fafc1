/** `context.workspace` for plugins and host tools: the same operations with the same checks (SPEC C8). */

import type { HostAnswer, OperationError } from "../../../sandbox/mod.ts";
import type { WorkspaceFiles } from "../../call/context.ts";
import { decodeText } from "../../primitives/json/large.ts";
import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext } from "../bridge.ts";
import { act, actOn, admit, reportModified } from "./file-act.ts";
import { fileFailure } from "./file-failure.ts";
import { listDirectory } from "./list-directory.ts";
import { metered } from "../metered.ts";
import { operation } from "../operation.ts";
import { patchBytes } from "./patch-bytes.ts";

/** A read without a range is for text that a model or the user reads. */
const MAX_WHOLE_READ_BYTES = 1024 * 1024;

/** Contents travel as bytes beside the JSON: `workspace.read` → bytes, `workspace.write` ← bytes. */
export const workspaceBridge: Bridge = {
  name: "workspace",
  operations: {
    "workspace.read": operation(
      { path: "string", offset: "count?", length: "count?" },
      async ({ path, offset, length }, context, _bytes, makeRoom) => {
        const { operationBytes } = context.limits;
        const isWhole = offset === undefined && length === undefined;
        const maxBytes = isWhole ? Math.min(MAX_WHOLE_READ_BYTES, operationBytes) : operationBytes;
        const range = { maxBytes, makeRoom, ...(offset !== undefined && { offset }), ...(length !== undefined && { length }) };
        const answered = await actOn({ access: "read", written: path }, `read '${path}'`, context, async (checked) =>
          answer(null, await context.platform.guarded.readBytes(checked, range)),
        );
        if (answered.ok || answered.error.code !== "EFBIG") return answered;
        return failure("Error", `Cannot read "${path}": more than ${maxBytes} bytes (read a part with offset and length)`, "EFBIG");
      },
    ),

    "workspace.write": operation(
      { path: "string", append: "boolean?" },
      async ({ path, append = false }, context, bytes = new Uint8Array()) =>
        await actOn({ access: "write", written: path }, `write '${path}'`, context, async (checked) => {
          await context.platform.guarded.writeBytes(checked, bytes, { append });
          return answer(null);
        }),
    ),

    "workspace.exists": operation({ path: "string" }, async ({ path }, context) => {
      const found = await actOn({ access: "read", written: path }, `stat '${path}'`, context, async (checked) => {
        await context.platform.guarded.stat(checked);
        return answer(true);
      });
      // A path below a file does not exist either.
      return !found.ok && (found.error.code === "ENOENT" || found.error.code === "ENOTDIR") ? answer(false) : found;
    }),

    "workspace.list": operation(
      { path: "string" },
      async ({ path }, context) => await listDirectory(path, `list '${path}'`, context, ({ name, kind }) => ({ name, kind })),
    ),

    "workspace.delete": operation(
      { path: "string" },
      async ({ path }, context) =>
        await actOn({ access: "write", written: path }, `delete '${path}'`, context, async (checked) => {
          await context.platform.guarded.remove(checked, { recursive: false });
          return answer(null);
        }),
    ),

    "workspace.patch": operation({ path: "string", old: "string", replacement: "string" }, ({ path, old, replacement }, context) =>
      patch(path, { old, replacement }, context),
    ),
  },
};

/** Creates the workspace's files for a host tool. Failures are thrown as `Error`s named as in `Deno.errors`. */
export function createWorkspaceFiles(context: BridgeContext): WorkspaceFiles {
  const text = new TextEncoder();
  return {
    read: async (path, range) => decodeText(bytesOf(await run("read", { path, ...range }))),
    readBytes: async (path, range) => bytesOf(await run("read", { path, ...range })),
    write: async (path, contents) => void (await run("write", { path }, text.encode(contents))),
    writeBytes: async (path, bytes) => void (await run("write", { path }, bytes)),
    append: async (path, contents) => void (await run("write", { path, append: true }, text.encode(contents))),
    exists: async (path) => (await run("exists", { path })).value === true,
    // The list operation returns exactly this type.
    list: async (path) => (await run("list", { path })).value as Awaited<ReturnType<WorkspaceFiles["list"]>>,
    delete: async (path) => void (await run("delete", { path })),
    patch: async (path, old, replacement) => void (await run("patch", { path, old, replacement })),
  };

  async function run(
    name: string,
    args: Parameters<Bridge["operations"][string]>[0],
    bytes?: Uint8Array,
  ): Promise<HostAnswer & { ok: true }> {
    const handler = workspaceBridge.operations[`workspace.${name}`];
    if (handler === undefined) throw new Error(`Unknown operation "workspace.${name}"`);
    const answered = await metered(handler, { name: `workspace.${name}`, args, ...(bytes && { bytes }) }, context);
    if (answered.ok) return answered;
    throw toError(answered.error);
  }
}

/** Reads the file, replaces the only occurrence and writes it, with both permissions. */
async function patch(
  path: string,
  edit: { readonly old: string; readonly replacement: string },
  context: BridgeContext,
): Promise<HostAnswer> {
  const subject = `patch '${path}'`;
  const read = admit({ access: "read", written: path }, subject, context);
  if (!read.ok) return read.answer;
  const write = admit({ access: "write", written: path }, subject, context);
  if (!write.ok) return write.answer;
  const { guarded, slices } = context.platform;

  const done = await act([read.allowed, write.allowed], subject, context, async () => {
    const before = await guarded.readBytes(read.allowed.path, { maxBytes: context.limits.operationBytes });
    const patched = await slices.run(patchBytes(before, edit));
    if (!patched.ok) return failure("InvalidData", `Cannot patch "${path}": ${patched.problem}`);
    const { bytes } = patched;
    if (bytes.length > context.limits.operationBytes) return fileFailure("too_large", subject);
    const excess = context.meter.spend("bytesWritten", bytes.length);
    if (excess !== undefined) return failure("RangeError", excess.message);
    await guarded.writeBytes(write.allowed.path, bytes, { create: false });
    return answer(null);
  });
  if (done.ok) reportModified(write.allowed.path, context);
  return done;
}

function bytesOf(answered: HostAnswer & { ok: true }): Uint8Array {
  return answered.bytes ?? new Uint8Array();
}

function toError({ name, message, code }: OperationError): Error {
  const error = new Error(message);
  error.name = name;
  return code === undefined ? error : Object.assign(error, { code });
}
