/** Runs one act on guarded files: checks every path, records the result, and turns failures into answers. */

import { relativeBelow } from "../../../manifests/mod.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { OTHER_SPELLING, ROOT_OF_GRANT } from "../../platform/files/file-errors.ts";
import { FileError, type FileErrorCode } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import { failure } from "../answer.ts";
import type { BridgeContext } from "../bridge.ts";
import { checkPath, type Denial, type PathAccess, type PathAllowed } from "../checked.ts";
import { fileFailure, isRefusal, malformedFailure } from "./file-failure.ts";

/** A path to check before an act. The first refusal is recorded and returned. */
interface PathOptions<A extends PathAccess> {
  readonly access: A;
  readonly written: string;
  /** The act covers everything below the path, so nothing there may be denied (SPEC PA5). */
  readonly deep?: boolean;
}

/** A checked path, or the refusal. */
type Admission<A extends PathAccess> =
  | { readonly ok: true; readonly allowed: PathAllowed<A> }
  | { readonly ok: false; readonly answer: HostAnswer };

/** @param subject the act in Deno's form, for messages: `remove 'a'` */
export function admit<A extends PathAccess>(options: PathOptions<A>, subject: string, context: BridgeContext): Admission<A> {
  const { access, written, deep = false } = options;
  const check = checkPath(access, written, context, deep ? "below" : "place");
  if (!check.ok) return { ok: false, answer: refuse(check.denial, subject, context) };
  if (!deep || !check.partial) return { ok: true, allowed: check };
  context.record({ ...check.act, decision: "denied" });
  const message = `Requires ${access} access to everything in "${written}", but a part of it is denied: ${subject}`;
  return { ok: false, answer: failure("NotCapable", message) };
}

/** Runs the act and records it once: as granted, or as denied if the resolved path lies outside of the grant. */
export async function act(
  allowed: readonly PathAllowed<PathAccess>[],
  subject: string,
  context: BridgeContext,
  run: () => Promise<HostAnswer>,
): Promise<HostAnswer> {
  try {
    const outcome = await run();
    for (const { act: done } of allowed) context.record(done);
    return outcome;
  } catch (thrown) {
    // Anything else is a bug in the host and must not look like the guest's.
    if (!(thrown instanceof FileError)) throw thrown;
    const refused = isRefusal(thrown);
    if (HALF_DONE.has(thrown.code))
      for (const { act: done, path } of allowed) if (done.permission === "write") reportModified(path, context);
    for (const { act: done } of allowed) context.record(refused ? { ...done, decision: "denied", layer: "resolved path" } : done);
    return refused ? refusedPlace(thrown, allowed, subject) : fileFailure(thrown.code, subject);
  }
}

/** Errors after which something may have changed already. */
const HALF_DONE: ReadonlySet<FileErrorCode> = new Set<FileErrorCode>(["interrupted", "no_space", "too_large", "other"]);

/** Runs an act on one path. */
export async function actOn<A extends PathAccess>(
  options: PathOptions<A>,
  subject: string,
  context: BridgeContext,
  run: (path: CheckedPath<A>) => Promise<HostAnswer>,
): Promise<HostAnswer> {
  const admission = admit(options, subject, context);
  if (!admission.ok) return admission.answer;
  const { allowed } = admission;
  const answer = await act([allowed], subject, context, () => run(allowed.path));
  if (answer.ok && options.access === "write") reportModified(allowed.path, context);
  return answer;
}

/** Returns true once the call is over or its files are closed: long acts stop between two steps (SPEC T3). */
export function isOver({ signal, openFiles }: Pick<BridgeContext, "signal" | "openFiles">): boolean {
  return signal.aborted || openFiles?.isOver === true;
}

/** Reports a written path, relative to the workspace if it is inside. */
export function reportModified(
  { path }: Pick<CheckedPath<PathAccess>, "path">,
  { cwd, modified }: Pick<BridgeContext, "cwd" | "modified">,
): void {
  modified(relativeBelow(path, cwd) ?? path);
}

function refuse(denial: Denial, subject: string, context: BridgeContext): HostAnswer {
  if (denial.kind === "malformed") return malformedFailure(denial.reason, subject);
  context.record(denial.act);
  return denial.kind === "ignored" ? fileFailure("not_found", subject) : failure("NotCapable", denial.message);
}

const REASONS: Readonly<Record<string, string>> = {
  [OTHER_SPELLING]: "which its file system may take for a name that is denied (write it as its folder lists it)",
  [ROOT_OF_GRANT]: "and to the folder it lies in, since it is the granted folder itself (remove what is in it, or grant the folder above)",
};

/** Names only the path that the guest wrote, because a link's target is confidential. */
function refusedPlace(error: FileError, allowed: readonly PathAllowed<PathAccess>[], subject: string): HostAnswer {
  if (error.code === "not_regular") return fileFailure("not_regular", subject);
  const wanted = allowed.map(({ path, act: { permission } }) => `${permission} access to "${path.written}"`).join(" and ");
  const why = REASONS[error.message] ?? "which leads outside of what is granted";
  return failure("NotCapable", `Requires ${wanted}, ${why}: ${subject}`);
}
