/** Requested, granted and used permissions of a plugin as one picture (SPEC I5, C3, P9). */

import { KeyRound } from "lucide";
import type { VNode } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/layout.tsx";
import { EmptyState, ErrorPanel } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";
import { ask } from "../../data/api.ts";
import { attempt, loadPlugins } from "../../data/state.ts";
import type { Json, Plugin, Used } from "../../data/types.ts";
import { useLoad } from "../../data/use-load.ts";
import { href } from "../../shell/router.ts";
import { itemText, linesOf, type PermissionLine } from "./permission-items.ts";

export function Permissions({ plugin }: { readonly plugin: Plugin }): VNode {
  const { name, granted, missing } = plugin;
  const { data: used, error, reload } = useLoad(() => ask<Used>(`/v1/plugins/${encodeURIComponent(name)}/used`), [name, plugin.digest]);
  const lines = linesOf(plugin, used);
  const act = (path: string, body: object): Promise<void> =>
    attempt(async () => {
      await ask(path, { plugin: name, ...body });
      await loadPlugins();
      reload();
    });
  const columns: readonly Column<PermissionLine>[] = [
    {
      title: "Permission",
      isHeader: true,
      show: ({ kind, text, isDenial, requested, granted: isGranted, isUsed }) => (
        <span class="map-resource">
          <span class="kind">{kind}</span>
          <code>
            {isDenial && "not "}
            {text}
          </code>
          <span class="narrow-only soft small">{statesOf({ requested, granted: isGranted, isUsed })}</span>
        </span>
      ),
    },
    { title: "Requested", isDetail: true, show: ({ requested }) => <Mark isOn={requested} text="requested" /> },
    { title: "Granted", isDetail: true, show: ({ granted: isGranted }) => <Mark isOn={isGranted} text="granted" /> },
    {
      title: "Used",
      isDetail: true,
      show: ({ isUsed }) =>
        isUsed === undefined ? (
          <span class="skeleton in-cell" role="status" aria-label="Reading the journal" />
        ) : (
          <Mark isOn={isUsed} text="used" />
        ),
    },
    { title: "Note", isDetail: true, show: (line) => <Advice line={line} /> },
    {
      title: "Act",
      align: "right",
      show: (line) =>
        line.isDenial ? null : line.granted ? (
          <Button
            label={`Revoke ${line.kind} ${line.text}`}
            onClick={() => void act("/v1/grants/revoke", { permissions: permissionOf(line) })}
          >
            Revoke
          </Button>
        ) : line.requested ? (
          <Button label={`Grant ${line.kind} ${line.text}`} onClick={() => void act("/v1/grants", { permissions: permissionOf(line) })}>
            Grant
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      {error !== undefined && <ErrorPanel title="The used permissions could not be read" message={error} onRetry={reload} />}
      <Section
        title="Requested, granted, used"
        actions={
          <>
            {Object.keys(missing).length > 0 && (
              <Button onClick={() => void act("/v1/grants", { permissions: missing })}>Grant missing permissions</Button>
            )}
            {Object.keys(granted).length > 0 && (
              <Button variant="danger" onClick={() => void act("/v1/grants/revoke", {})}>
                Revoke all
              </Button>
            )}
          </>
        }
      >
        {lines.length === 0 ? (
          <EmptyState title="This plugin requests nothing" icon={KeyRound}>
            It can compute, and read and write nothing but what a call passes in.
          </EmptyState>
        ) : (
          <Table
            caption="Permissions"
            columns={columns}
            rows={lines}
            keyOf={({ kind, text, isDenial }) => `${kind} ${text} ${String(isDenial)}`}
          />
        )}
      </Section>
      {used !== undefined && <WhatItUsed used={used} />}
      {used !== undefined && used.leftOut.length > 0 && (
        <Section title="Tried" count={used.leftOut.length + used.leftOutMore}>
          <ul class="tried">
            {used.leftOut.map(({ kind, value, reason }) => (
              <li key={`${kind} ${value}`}>
                <span class="kind">{kind}</span> <code>{value}</code> <span class="soft">{reason}</span>
              </li>
            ))}
            {used.leftOutMore > 0 && <li class="soft">and {used.leftOutMore} more</li>}
          </ul>
        </Section>
      )}
    </>
  );
}

/** The narrowest permissions that cover every act in the journal. */
function WhatItUsed({ used: { calls, since, lines } }: { readonly used: Used }): VNode {
  return (
    <Section title="What it used" count={lines.length}>
      <p class="soft section-note" role="status">
        {calls === 0 || since === undefined ? (
          "No calls in the journal."
        ) : (
          <>
            The narrowest permissions for its {calls} {calls === 1 ? "call" : "calls"}, the first <Ago time={since} />.
          </>
        )}
      </p>
      {lines.length > 0 && (
        <Table caption="What it used" columns={USED} rows={lines} keyOf={({ kind, item }) => `${kind} ${itemText(item)}`} />
      )}
    </Section>
  );
}

const USED: readonly Column<Used["lines"][number]>[] = [
  {
    title: "Permission",
    isHeader: true,
    show: ({ kind, item }) => (
      <span class="map-resource">
        <span class="kind">{kind}</span>
        <code>{itemText(item)}</code>
      </span>
    ),
  },
  { title: "Acts", align: "right", show: ({ acts }) => acts },
  {
    title: "Refused",
    align: "right",
    isDetail: true,
    show: ({ refused }) => <span class={refused > 0 ? "bad-text" : "soft"}>{refused}</span>,
  },
  {
    title: "First call",
    align: "right",
    show: ({ kind, item, calls: [callId] }) =>
      callId !== undefined && (
        <a href={href("/calls/:callId", { callId })} aria-label={`Call that used ${kind} ${itemText(item)}`}>
          call
        </a>
      ),
  },
];

function permissionOf({ kind, item }: PermissionLine): Readonly<Record<string, Json>> {
  return { [kind]: item === true ? true : [item] };
}

function Mark({ isOn, text }: { readonly isOn: boolean; readonly text: string }): VNode {
  return (
    <span class={`mark-cell${isOn ? " on" : ""}`}>
      <span class="mark-dot" aria-hidden="true" />
      <span class="visually-hidden">{isOn ? text : `not ${text}`}</span>
    </span>
  );
}

/** The marks as words, for a narrow screen. */
function statesOf({ requested, granted, isUsed }: Pick<PermissionLine, "requested" | "granted" | "isUsed">): string {
  const words = [requested ? "requested" : "not requested", granted ? "granted" : "not granted"];
  return [...words, ...(isUsed === undefined ? [] : [isUsed ? "used" : "never used"])].join(", ");
}

function Advice({ line: { requested, granted, isUsed, isDenial } }: { readonly line: PermissionLine }): VNode | null {
  if (isDenial) return <Badge>denied</Badge>;
  if (granted && isUsed === false) return <Badge tone="wait">never used</Badge>;
  if (requested && !granted) return <Badge tone="info">not granted</Badge>;
  return null;
}
