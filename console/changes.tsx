/** Shows the changes that a call would make: each file with its diff, and the requests that were not sent. */

import type { VNode } from "preact";
import type { DryRun, FileChange } from "./types.ts";

export function Changes({
  report: { changes, moreChanges, held, moreHeld },
}: {
  readonly report: Omit<DryRun, "hash" | "canCommit">;
}): VNode {
  return (
    <>
      {changes.length === 0 && held.length === 0 && <p>No changes.</p>}
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {moreChanges !== undefined && <p>and {moreChanges} more changes</p>}
      {held.map(({ method, url }, index) => (
        <p key={index}>
          not sent: <code>{`${method} ${url}`}</code>
        </p>
      ))}
      {moreHeld !== undefined && <p>and {moreHeld} more requests that were not sent</p>}
    </>
  );
}

const STATE: Readonly<Record<string, string>> = { created: "completed", modified: "waiting", deleted: "denied", renamed: "none" };

function Change({ change: { path, kind, type, from, mode, diff, before, after } }: { readonly change: FileChange }): VNode {
  const sizes = [before, after].flatMap((side) => (side === undefined ? [] : [`${side.bytes} bytes`])).join(" → ");
  return (
    <figure>
      <figcaption>
        <span class={`badge ${STATE[kind] ?? ""}`}>{kind}</span> <code>{type === "directory" ? `${path}/` : path}</code>{" "}
        <span class="soft">
          {from !== undefined && `from ${from} `}
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
      {diff !== undefined && (
        <pre class="diff" tabIndex={0} role="region" aria-label={`Changes in ${path}`}>
          {/* Skip the first two lines, which repeat the file name of the caption. */}
          {diff
            .replace(/\n$/, "")
            .split("\n")
            .slice(2)
            .map((line, index) => (
              <span
                key={index}
                class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@") ? "place" : "same"}
              >
                {`${line}\n`}
              </span>
            ))}
        </pre>
      )}
    </figure>
  );
}
