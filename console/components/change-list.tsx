/** List of the changes in a version that waits for acceptance. */

import type { VNode } from "preact";
import { Badge } from "./badge.tsx";
import type { ChangeWords } from "../data/types.ts";

/** Shows old and new values in the server's order and marks changes that widen access. */
export function ChangeList({ words }: { readonly words: readonly ChangeWords[] }): VNode {
  if (words.length === 0) return <p>Only the code has changed.</p>;
  return (
    <ul class="plain">
      {words.map(({ sign, what, from, to, widens }, index) => (
        <li key={index}>
          <span class={sign === "-" ? "removed" : sign === "+" ? "added" : ""}>
            {sign} {what}
          </span>{" "}
          {widens && <Badge tone="bad">can do more</Badge>}
          {(from !== undefined || to !== undefined) && (
            <pre class="diff" tabIndex={0} role="region" aria-label={`Old and new: ${what}`}>
              {from !== undefined && <span class="removed">{`- ${from}\n`}</span>}
              {to !== undefined && <span class="added">{`+ ${to}`}</span>}
            </pre>
          )}
        </li>
      ))}
    </ul>
  );
}
