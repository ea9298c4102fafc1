/** What is new in a version that waits for a person: old against new, and what can do more than before. */

import type { VNode } from "preact";
import type { ChangeWords } from "./types.ts";

/** The weighty ones first, as they come: what can do more than before is said to. */
export function ChangeList({ words }: { readonly words: readonly ChangeWords[] }): VNode {
  if (words.length === 0) return <p>Nothing that others see of it is new: its code is.</p>;
  return (
    <ul class="plain">
      {words.map(({ sign, what, from, to, widens }, index) => (
        <li key={index}>
          <span class={sign === "-" ? "removed" : sign === "+" ? "added" : ""}>
            {sign} {what}
          </span>{" "}
          {widens && <span class="badge denied">can do more</span>}
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
