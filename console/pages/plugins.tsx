/** All plugins, those that need a decision first (SPEC C3, H6). */

import { Puzzle, RefreshCw } from "lucide";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Badge, StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { PageHeader } from "../components/layout.tsx";
import { EmptyState, Skeleton } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { toast } from "../components/toast.tsx";
import { ask } from "../data/api.ts";
import { attempt, isConnected, loadPlugins, plugins } from "../data/state.ts";
import type { Plugin } from "../data/types.ts";
import { href, replaceQuery, route } from "../shell/router.ts";

export function Plugins(): VNode {
  const [isBusy, setBusy] = useState(false);
  const text = route.value.query.get("text") ?? "";
  const reload = async (): Promise<void> => {
    setBusy(true);
    await attempt(async () => {
      const { reloaded } = await ask<{ readonly reloaded: number }>("/v1/plugins/reload", {});
      await loadPlugins();
      toast(reloaded === 0 ? "No plugin has changed" : `${reloaded} ${reloaded === 1 ? "plugin" : "plugins"} reloaded`);
    });
    setBusy(false);
  };
  const all = plugins.value;
  const shown = all
    .filter(({ name, description = "" }) => `${name} ${description}`.toLowerCase().includes(text.toLowerCase()))
    .toSorted((one, other) => needOf(other) - needOf(one));
  return (
    <>
      <PageHeader title="Plugins">
        <input
          type="search"
          class="compact"
          aria-label="Filter plugins"
          placeholder="Name or description"
          value={text}
          onInput={({ currentTarget }) => replaceQuery({ text: currentTarget.value })}
        />
        <Button icon={RefreshCw} isBusy={isBusy} onClick={() => void reload()}>
          Check for changes
        </Button>
      </PageHeader>
      {all.length === 0 && !isConnected.value && <Skeleton rows={6} />}
      {shown.length === 0 && all.length > 0 && <EmptyState title="No plugin fits" icon={Puzzle} />}
      {shown.length > 0 && (
        <Table caption="Plugins" columns={COLUMNS} rows={shown} keyOf={({ name, directory }) => `${name} ${directory ?? ""}`} />
      )}
      {all.length === 1 && all[0]?.directory === undefined && (
        <EmptyState title="No plugin yet" icon={Puzzle}>
          <code>bascule init my-plugin</code> makes one, <code>bascule add builtin:words</code> adds one.
        </EmptyState>
      )}
    </>
  );
}

/** How much a plugin needs the user. */
function needOf({ held, state, missing, problems }: Plugin): number {
  if (held !== undefined) return 3;
  if (state !== "loaded" && state !== "disabled" && state !== "ignored") return 2;
  return Object.keys(missing).length > 0 || problems.some(({ severity }) => severity === "error") ? 1 : 0;
}

const COLUMNS: readonly Column<Plugin>[] = [
  {
    title: "Plugin",
    isHeader: true,
    show: (plugin) => (
      <span class="cell-stack">
        <span>
          <a href={href("/plugins/:name", { name: plugin.name })}>{plugin.name}</a> <span class="soft number">{plugin.version}</span>
        </span>
        <span class="soft small clamp">{plugin.description}</span>
        <span class="narrow-only">
          <Needs plugin={plugin} isQuiet />
        </span>
      </span>
    ),
  },
  { title: "State", width: "8rem", show: ({ state }) => <StateBadge state={state} /> },
  { title: "Tools", align: "right", isDetail: true, width: "4rem", show: ({ tools }) => tools.length },
  { title: "Needs you", isDetail: true, show: (plugin) => <Needs plugin={plugin} /> },
];

/** @param isQuiet shows nothing if the plugin needs nothing */
function Needs({
  plugin: { name, held, missing, problems },
  isQuiet = false,
}: {
  readonly plugin: Plugin;
  readonly isQuiet?: boolean;
}): VNode | null {
  const problem = problems.find(({ severity }) => severity === "error");
  const kinds = Object.keys(missing);
  if (held === undefined && problem === undefined && kinds.length === 0) return isQuiet ? null : <span class="soft">–</span>;
  return (
    <span class="cell-stack">
      {held !== undefined && (
        <a href={href("/plugins/:name", { name }, { tab: "versions" })}>
          <Badge tone="wait">version {held.version} waits</Badge>
        </a>
      )}
      {kinds.length > 0 && (
        <a href={href("/plugins/:name", { name }, { tab: "permissions" })}>
          <Badge tone="info">requests {kinds.join(", ")}</Badge>
        </a>
      )}
      {problem !== undefined && <span class="bad-text small clamp">{problem.message}</span>}
    </span>
  );
}
