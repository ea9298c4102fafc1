/** A plugin at a glance: its state, problems, limits and tools. */

import { Play } from "lucide";
import type { VNode } from "preact";
import { Badge, toneOf } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Facts, Section } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { ask } from "../../data/api.ts";
import { attempt, loadPlugins } from "../../data/state.ts";
import type { Plugin, Tool } from "../../data/types.ts";
import { href, navigate } from "../../shell/router.ts";
import { permissionTexts } from "./permission-items.ts";
import { Waiting } from "./versions.tsx";

export function Overview({ plugin }: { readonly plugin: Plugin }): VNode {
  const { name, problems, limits, digest, held, missing, tools, directory, version } = plugin;
  const accept = (): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/plugins/${encodeURIComponent(name)}/accept`, { digest });
      await loadPlugins();
    });
  return (
    <>
      <Waiting plugin={plugin} />
      {problems.map(({ message, severity }, index) => (
        <p key={index} class={`note ${severity === "error" ? "bad" : "wait"}`}>
          {message}
        </p>
      ))}
      {Object.keys(missing).length > 0 && (
        <div class="note info">
          <p>
            Requested and not granted:{" "}
            {permissionTexts(missing).map((text) => (
              <code key={text} class="chip">
                {text}
              </code>
            ))}
          </p>
          <Button
            onClick={() => navigate(href("/plugins/:name", { name }, { tab: "permissions" }))}
            label={`Decide about the permissions of ${name}`}
          >
            Decide
          </Button>
        </div>
      )}
      {limits.length > 0 && (
        <div class="note">
          <p>
            Limits above the defaults:{" "}
            {limits.map(({ limit, text, by }) => (
              <code key={limit} class="chip">
                {text}
                {by === "policy" && " (set by policy)"}
              </code>
            ))}
          </p>
          {held === undefined && digest !== undefined && limits.some(({ by }) => by === "consent") && (
            <Button onClick={() => void accept()}>Allow the requested limits</Button>
          )}
        </div>
      )}
      <Section title="Tools" count={tools.length}>
        <Table caption={`Tools of ${name}`} columns={COLUMNS} rows={tools} keyOf={({ qualifiedName }) => qualifiedName} />
      </Section>
      <Section title="About">
        <Facts
          of={[
            ["Version", version],
            ["Folder", directory === undefined ? undefined : <code>{directory}</code>],
            ["Hash", digest === undefined ? undefined : <code title={digest}>{digest.slice(0, 16)}</code>],
          ]}
        />
      </Section>
    </>
  );
}

const COLUMNS: readonly Column<Tool>[] = [
  {
    title: "Tool",
    isHeader: true,
    show: ({ name, description, unavailable }) => (
      <span class="cell-stack">
        <span>{name}</span>
        <span class="soft small clamp">{description}</span>
        {unavailable !== undefined && <span class="bad-text small">{unavailable}</span>}
      </span>
    ),
  },
  {
    title: "Class",
    width: "7rem",
    show: ({ class: sort, destructive }) => (
      <>
        <Badge tone={toneOf(sort)}>{sort}</Badge>
        {destructive && (
          <>
            {" "}
            <Badge tone="bad">destructive</Badge>
          </>
        )}
      </>
    ),
  },
  {
    title: "Act",
    align: "right",
    width: "5rem",
    show: ({ name, qualifiedName, unavailable }) => (
      <Button
        icon={Play}
        disabled={unavailable !== undefined}
        label={`Run ${name}`}
        onClick={() => navigate(href("/run", {}, { tool: qualifiedName }))}
      >
        Run
      </Button>
    ),
  },
];
