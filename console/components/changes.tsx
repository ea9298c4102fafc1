/** Shows the changes that a call makes: each file with its diff, and the requests that were not sent. */

import type { VNode } from "preact";
import type { DryRun, FileChange } from "../data/types.ts";
import { Badge, toneOf } from "./badge.tsx";
import { Diff } from "./diff.tsx";
import { bytesText } from "./time.tsx";
import { visibleLine } from "./visible.ts";

export function Changes({
  report: { changes, moreChanges, held, moreHeld },
}: {
  readonly report: Omit<DryRun, "hash" | "canCommit">;
}): VNode {
  return (
    <div class="changes">
      {changes.length === 0 && held.length === 0 && <p class="soft">No changes.</p>}
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {moreChanges !== undefined && <p class="soft">and {moreChanges} more changes</p>}
      {held.map(({ method, url }, index) => (
        <p key={index}>
          not sent: <code>{visibleLine(`${method} ${url}`)}</code>
        </p>
      ))}
      {moreHeld !== undefined && <p class="soft">and {moreHeld} more requests that were not sent</p>}
    </div>
  );
}

function Change({ change: { path, kind, type, from, mode, diff, before, after } }: { readonly change: FileChange }): VNode {
  const sizes = [before, after].flatMap((side) => (side === undefined ? [] : [bytesText(side.bytes)])).join(" → ");
  return (
    <figure class="change">
      <figcaption>
        <Badge tone={toneOf(kind)}>{kind}</Badge>
        <code>{visibleLine(type === "directory" ? `${path}/` : path)}</code>
        <span class="soft">
          {from !== undefined && `from ${visibleLine(from)} `}
          {type === "symlink" && "symlink "}
          {sizes} {mode}
        </span>
      </figcaption>
      {diff === undefined && (before !== undefined || after !== undefined) && (
        <p class="soft">
          not shown as text:{" "}
          <code>
            {[before, after].map((side) => (side === undefined ? "nothing" : (side.sha256?.slice(0, 16) ?? "not read"))).join(" → ")}
          </code>
        </p>
      )}
      {diff !== undefined && <Diff path={path} diff={diff} />}
    </figure>
  );
}
