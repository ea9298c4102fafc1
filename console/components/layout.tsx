/** Parts of a page: its header with the heading, sections, and lists of names and values. */

import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

/** Id of the page's heading, which has the focus after a navigation. */
export const HEADING_ID = "page-heading";

export function PageHeader({
  title,
  about,
  badges,
  children,
}: {
  readonly title: string;
  /** One line below the title. */
  readonly about?: ComponentChildren;
  /** Labels beside the title. */
  readonly badges?: ComponentChildren;
  /** Actions of the page. */
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="page-header">
      <div class="page-title">
        <h1 id={HEADING_ID} tabIndex={-1}>
          {title}
        </h1>
        {badges}
        {about !== undefined && <p class="soft">{about}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}

export function Section({
  title,
  count,
  actions,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-header">
        <h2 id={id} tabIndex={-1}>
          {title}
          {count !== undefined && <span class="count">{count}</span>}
        </h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names with their values, in two columns. Entries without a value are left out. */
export function Facts({ of: facts }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
