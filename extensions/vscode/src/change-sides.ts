/** The two sides of a change, for the editor's diff view. */

import { applyPatch } from "diff";
import type { FileChange } from "../../../host/call/dry-run-report.ts";

/** Both texts, or the reason why there are none. */
export type ChangeSides =
  | { readonly ok: true; readonly before: string; readonly after: string }
  | { readonly ok: false; readonly reason: string };

/** @param now text of the file as it is; undefined if it does not exist */
export function changeSides({ kind, diff, type }: FileChange, now: string | undefined): ChangeSides {
  if (type !== "file") return { ok: false, reason: `${kind} ${type}` };
  if (diff === undefined)
    return { ok: false, reason: kind === "renamed" ? "Renamed without other changes" : "Binary, or too large to compare" };
  if (kind !== "created" && now === undefined)
    return { ok: false, reason: "The file no longer exists, so the call can no longer be approved" };
  const before = kind === "created" ? "" : (now ?? "");
  const after = applyPatch(before, diff);
  if (after === false)
    return { ok: false, reason: `The file changed since the call was shown, so it can no longer be approved\n\n${diff}` };
  return { ok: true, before, after };
}
