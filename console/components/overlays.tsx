/** Dialogs, menus and tabs, with the focus handling and the keys of Ariakit. */

import * as Ariakit from "@ariakit/react";
import { X } from "lucide";
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon, type IconNode } from "./icon.tsx";

/** A modal dialog. Escape and a click outside close it; the focus returns to what opened it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  isWide = false,
  actions,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** For diffs and tables. */
  readonly isWide?: boolean;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <Ariakit.Dialog
      open={isOpen}
      onClose={onClose}
      backdrop={<div class="backdrop" />}
      className={`dialog${isWide ? " wide" : ""}`}
      unmountOnHide
    >
      <div class="dialog-header">
        <Ariakit.DialogHeading className="dialog-title">{title}</Ariakit.DialogHeading>
        <Button variant="ghost" icon={X} label="Close" onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
      {actions !== undefined && <div class="dialog-actions">{actions}</div>}
    </Ariakit.Dialog>
  );
}

export interface MenuEntry {
  readonly label: string;
  readonly onSelect: () => void;
  readonly icon?: IconNode;
  readonly isDangerous?: boolean;
  /** Set if the entry is one of several choices. */
  readonly isChecked?: boolean;
}

/** A button that opens a menu. `name` is the button's name if it shows only an icon. */
export function Menu({
  name,
  icon,
  text,
  entries,
}: {
  readonly name: string;
  readonly icon?: IconNode;
  readonly text?: string;
  readonly entries: readonly MenuEntry[];
}): VNode {
  return (
    <Ariakit.MenuProvider>
      <Ariakit.MenuButton
        className={`button ghost${text === undefined ? " square" : ""}`}
        {...(text === undefined && { "aria-label": name })}
      >
        {icon !== undefined && <Icon of={icon} />}
        {text}
      </Ariakit.MenuButton>
      <Ariakit.Menu className="menu" gutter={4} aria-label={name} unmountOnHide>
        {entries.map(({ label, onSelect, icon: own, isDangerous, isChecked }) =>
          isChecked === undefined ? (
            <Ariakit.MenuItem key={label} className={`menu-item${isDangerous === true ? " danger" : ""}`} onClick={onSelect}>
              {own !== undefined && <Icon of={own} />}
              {label}
            </Ariakit.MenuItem>
          ) : (
            <Ariakit.MenuItemRadio key={label} className="menu-item" name={name} value={label} checked={isChecked} onClick={onSelect}>
              <span class="check" aria-hidden="true">
                {isChecked ? "✓" : ""}
              </span>
              {label}
            </Ariakit.MenuItemRadio>
          ),
        )}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

export interface TabEntry {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
  readonly show: () => ComponentChildren;
}

/** Tabs; only the selected one is rendered. The caller keeps the selection, so that it can be in the address. */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
}: {
  readonly label: string;
  readonly tabs: readonly TabEntry[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}): VNode {
  const current = tabs.find(({ id }) => id === selected) ?? tabs[0];
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the tabs scroll.
  useLayoutEffect(
    () => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "center" }),
    [current?.id],
  );
  return (
    <Ariakit.TabProvider
      selectedId={current?.id ?? null}
      setSelectedId={(id) => {
        if (typeof id === "string" && id !== current?.id) onSelect(id);
      }}
    >
      <Ariakit.TabList ref={list} className="tabs" aria-label={label}>
        {tabs.map(({ id, title, count }) => (
          <Ariakit.Tab key={id} id={id} className="tab">
            {title}
            {count !== undefined && <span class="count">{count}</span>}
          </Ariakit.Tab>
        ))}
      </Ariakit.TabList>
      {current !== undefined && (
        <Ariakit.TabPanel key={current.id} tabId={current.id} className="tab-panel" focusable={false}>
          {current.show()}
        </Ariakit.TabPanel>
      )}
    </Ariakit.TabProvider>
  );
}
