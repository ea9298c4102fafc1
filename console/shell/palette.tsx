/** The command palette (Ctrl-K or Cmd-K): goes to a page, a plugin or a tool, and runs commands of the page. */

import * as Ariakit from "@ariakit/react";
import { type Signal, signal } from "@preact/signals";
import { type IconNode, LogOut, MonitorCog, Moon, Play, Puzzle, Rows3, Sun } from "lucide";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { logOut } from "../data/api.ts";
import { plugins } from "../data/state.ts";
import { PAGE_ICONS } from "./page-icons.ts";
import { PAGES } from "./pages.ts";
import { density, theme } from "./preferences.ts";
import { href, navigate } from "./router.ts";

interface Command {
  readonly title: string;
  /** Group, shown at the end of the line. */
  readonly group: string;
  readonly icon?: IconNode | undefined;
  readonly run: () => void;
}

export const isPaletteOpen: Signal<boolean> = signal(false);
const MAX_SHOWN = 12;

export function Palette(): VNode {
  const [text, setText] = useState("");
  const isOpen = isPaletteOpen.value;
  useEffect(() => setText(""), [isOpen]);
  const close = (): void => void (isPaletteOpen.value = false);
  const found = isOpen ? search(text, commands()) : [];
  const store = Ariakit.useComboboxStore({ open: true, value: text, setValue: setText, includesBaseElement: false, focusLoop: true });
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  return (
    <Ariakit.Dialog
      open={isOpen}
      onClose={close}
      backdrop={<div class="backdrop" />}
      className="dialog palette"
      aria-label="Command palette"
      unmountOnHide
    >
      <Ariakit.ComboboxProvider store={store}>
        <Ariakit.Combobox
          className="palette-input"
          placeholder="Go to a page, plugin or tool"
          autoSelect="always"
          aria-label="Search commands"
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            choose(found.find((command) => keyOf(command) === store.getState().activeValue) ?? found[0]);
          }}
        />
        <Ariakit.ComboboxList className="palette-list" alwaysVisible aria-label="Commands">
          {found.map((command) => (
            <Ariakit.ComboboxItem
              key={keyOf(command)}
              value={keyOf(command)}
              className="palette-item"
              setValueOnClick={false}
              hideOnClick={false}
              onClick={() => choose(command)}
            >
              {command.icon !== undefined && <Icon of={command.icon} />}
              <span>{command.title}</span>
              <span class="soft">{command.group}</span>
            </Ariakit.ComboboxItem>
          ))}
        </Ariakit.ComboboxList>
        {found.length === 0 && (
          <p class="palette-none soft" role="status">
            No command matches “{text}”
          </p>
        )}
      </Ariakit.ComboboxProvider>
    </Ariakit.Dialog>
  );
}

function keyOf({ group, title }: Command): string {
  return `${group} ${title}`;
}

function commands(): readonly Command[] {
  const go = (address: string) => () => navigate(address);
  return [
    ...PAGES.filter(({ group }) => group !== undefined).map(({ id, path, title }) => ({
      title,
      group: "Page",
      icon: PAGE_ICONS[id],
      run: go(href(path)),
    })),
    { title: "Dark theme", group: "Appearance", icon: Moon, run: () => void (theme.value = "dark") },
    { title: "Light theme", group: "Appearance", icon: Sun, run: () => void (theme.value = "light") },
    { title: "Theme of the system", group: "Appearance", icon: MonitorCog, run: () => void (theme.value = "system") },
    {
      title: density.value === "compact" ? "Comfortable rows" : "Compact rows",
      group: "Appearance",
      icon: Rows3,
      run: () => void (density.value = density.value === "compact" ? "comfortable" : "compact"),
    },
    { title: "Log out", group: "Session", icon: LogOut, run: logOut },
    ...plugins.value.map(({ name }) => ({ title: name, group: "Plugin", icon: Puzzle, run: go(href("/plugins/:name", { name })) })),
    ...plugins.value.flatMap(({ tools }) =>
      tools.map(({ qualifiedName }) => ({
        title: `Run ${qualifiedName}`,
        group: "Tool",
        icon: Play,
        run: go(href("/run", {}, { tool: qualifiedName })),
      })),
    ),
  ];
}

/** Returns the commands with all words of the text, those that begin with it first. */
function search(text: string, all: readonly Command[]): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ title }: Command): number => (title.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
  return all
    .filter(({ title, group }) => words.every((word) => `${title} ${group}`.toLowerCase().includes(word)))
    .toSorted((left, right) => rank(left) - rank(right))
    .slice(0, MAX_SHOWN);
}
