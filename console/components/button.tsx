/** Buttons. A button whose text is not unique on the page has a name of its own in `label`, such as "Approve write_file". */

import type { ComponentChildren, VNode } from "preact";
import { Icon, type IconNode } from "./icon.tsx";

export interface ButtonProps {
  readonly onClick?: (event: MouseEvent) => void;
  readonly variant?: "primary" | "danger" | "ghost" | "";
  readonly type?: "button" | "submit";
  /** Name for assistive technology; begins with the visible text. */
  readonly label?: string;
  readonly icon?: IconNode;
  /** Key that does the same, shown beside the text. */
  readonly shortcut?: string;
  readonly disabled?: boolean;
  /** Set while the act runs. */
  readonly isBusy?: boolean;
  readonly value?: string;
  readonly isPressed?: boolean;
  readonly title?: string;
  readonly children?: ComponentChildren;
}

export function Button(props: ButtonProps): VNode {
  const { variant = "", type = "button", label, icon, shortcut, isBusy = false, disabled = false, children, isPressed } = props;
  return (
    <button
      type={type}
      class={`button ${variant}${children === undefined ? " square" : ""}`}
      disabled={disabled}
      aria-disabled={isBusy}
      {...(props.value !== undefined && { value: props.value })}
      {...(label !== undefined && { "aria-label": label })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
      {...(props.title !== undefined && { title: props.title })}
      {...(shortcut !== undefined && { "aria-keyshortcuts": shortcut })}
      onClick={(event) => {
        if (!isBusy) props.onClick?.(event);
        else event.preventDefault();
      }}
    >
      {icon !== undefined && <Icon of={icon} />}
      {children}
      {shortcut !== undefined && <span class="key" data-key={shortcut} aria-hidden="true" />}
    </button>
  );
}
