/** The sidebar: all pages in groups. On a narrow screen it is a drawer. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { Icon } from "../components/icon.tsx";
import { questions } from "../data/state.ts";
import { PAGE_ICONS } from "./page-icons.ts";
import { PAGE_GROUPS, type PageEntry, PAGES } from "./pages.ts";
import { href, route } from "./router.ts";

/** Whether the drawer is open. */
export const isDrawerOpen: Signal<boolean> = signal(false);

export function Sidebar(): VNode {
  const { page } = route.value;
  const current = page.parent ?? page.id;
  return (
    <nav class={`sidebar${isDrawerOpen.value ? " open" : ""}`} aria-label="Pages" id="pages">
      <a class="brand" href={href("/calls")}>
        <span class="mark" aria-hidden="true" />
        bascule
      </a>
      {PAGE_GROUPS.map((group) => (
        <div key={group} class="nav-group">
          <p class="nav-title" id={`group-${group}`}>
            {group}
          </p>
          <ul aria-labelledby={`group-${group}`}>
            {PAGES.filter((entry) => entry.group === group).map((entry) => (
              <li key={entry.id}>
                <PageLink entry={entry} isCurrent={entry.id === current} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function PageLink({ entry: { id, path, title }, isCurrent }: { readonly entry: PageEntry; readonly isCurrent: boolean }): VNode {
  const icon = PAGE_ICONS[id];
  const waiting = id === "confirmations" ? questions.value.length : 0;
  return (
    <a href={href(path)} onClick={() => (isDrawerOpen.value = false)} {...(isCurrent && { "aria-current": "page" as const })}>
      {icon !== undefined && <Icon of={icon} />}
      <span>{title}</span>
      {waiting > 0 && (
        <span class="count wait">
          {waiting}
          <span class="visually-hidden"> waiting</span>
        </span>
      )}
    </a>
  );
}
