/** Placeholders for data: while it loads, if there is none, and if it failed. */

import { Inbox, TriangleAlert } from "lucide";
import type { ComponentChildren, VNode } from "preact";
import { Button } from "./button.tsx";
import { Icon, type IconNode } from "./icon.tsx";

export function EmptyState({
  title,
  icon = Inbox,
  children,
}: {
  readonly title: string;
  readonly icon?: IconNode;
  /** Says what to do next. */
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <Icon of={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  );
}

/** Grey lines in the shape of what loads. */
export function Skeleton({ rows = 5, label = "Loading" }: { readonly rows?: number; readonly label?: string }): VNode {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_none, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** An error with what to do. The message comes from the server, which says both. */
export function ErrorPanel({
  title = "This could not be loaded",
  message,
  onRetry,
}: {
  readonly title?: string;
  readonly message: string;
  readonly onRetry?: () => void;
}): VNode {
  return (
    <div class="error-panel" role="alert">
      <Icon of={TriangleAlert} size={18} />
      <div>
        <p class="error-title">{title}</p>
        <p>{message}</p>
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  );
}
