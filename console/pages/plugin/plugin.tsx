/** The page of one plugin (SPEC I5, C3, H6). */

import { Puzzle } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { StateBadge } from "../../components/badge.tsx";
import { PageHeader } from "../../components/layout.tsx";
import { Tabs } from "../../components/overlays.tsx";
import { EmptyState, Skeleton } from "../../components/states.tsx";
import { isConnected, plugins } from "../../data/state.ts";
import { href, replaceQuery, route, subject } from "../../shell/router.ts";
import { PluginLog } from "./log.tsx";
import { Overview } from "./overview.tsx";
import { Permissions } from "./permissions.tsx";
import { Settings } from "./settings.tsx";
import { Source } from "./source.tsx";
import { Tests } from "./tests.tsx";
import { Versions } from "./versions.tsx";

export function PluginPage({ name }: { readonly name: string }): VNode {
  const plugin = plugins.value.find((one) => one.name === name);
  useEffect(() => void (subject.value = name), [name]);
  const { query } = route.value;
  if (plugin === undefined)
    return (
      <>
        <PageHeader title={name} />
        {plugins.value.length === 0 && !isConnected.value ? (
          <Skeleton rows={8} />
        ) : (
          <EmptyState title="No plugin has this name" icon={Puzzle}>
            <a href={href("/plugins")}>All plugins</a>
          </EmptyState>
        )}
      </>
    );
  const { state, version, description, directory, tools, digest } = plugin;
  const isFolder = directory !== undefined;
  const open = (next: Readonly<Record<string, string>>): void => replaceQuery(next);
  const tabs = [
    { id: "overview", title: "Overview", show: () => <Overview plugin={plugin} /> },
    ...(isFolder
      ? [
          { id: "permissions", title: "Permissions", show: () => <Permissions plugin={plugin} /> },
          {
            id: "source",
            title: "Source",
            show: () => (
              <Source
                key={digest}
                plugin={name}
                digest={query.get("digest") ?? undefined}
                path={query.get("path") ?? undefined}
                onOpen={(path) => open({ tab: "source", path, digest: query.get("digest") ?? "" })}
              />
            ),
          },
          {
            id: "versions",
            title: "Versions",
            show: () => <Versions plugin={plugin} onRead={(own) => open({ tab: "source", digest: own === digest ? "" : own })} />,
          },
          { id: "tests", title: "Tests", show: () => <Tests plugin={name} /> },
          { id: "log", title: "Log", show: () => <PluginLog plugin={name} /> },
          { id: "settings", title: "Settings", show: () => <Settings plugin={name} tools={tools} /> },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title={name}
        about={description}
        badges={
          <>
            <StateBadge state={state} /> {version !== undefined && <span class="soft number">{version}</span>}
          </>
        }
      />
      <Tabs label={`Parts of ${name}`} tabs={tabs} selected={query.get("tab") ?? "overview"} onSelect={(tab) => open({ tab })} />
    </>
  );
}
