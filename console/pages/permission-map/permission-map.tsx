/** The map of access: which plugin can read, write and reach what (SPEC I5, P6). A grid; on a narrow screen a list by plugin. */

import { Map as MapIcon } from "lucide";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Choice } from "../../components/choice.tsx";
import { Facts, PageHeader } from "../../components/layout.tsx";
import { Dialog } from "../../components/overlays.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../components/states.tsx";
import { ask } from "../../data/api.ts";
import type { MapCell, MapResource, PermissionMap } from "../../../host/doors/views.ts";
import { useLoad } from "../../data/use-load.ts";
import { href, replaceQuery, route } from "../../shell/router.ts";
import { LOOKS, lookOf, nameOf } from "./cell.tsx";
import { Grid, List, type PictureProps } from "./picture.tsx";

const FILTERS = [
  ["all", "All"],
  ["can", "Has access"],
  ["unused", "Never used"],
  ["missing", "Not granted"],
] as const;
type Filter = (typeof FILTERS)[number][0];

const IS_SHOWN: Readonly<Record<Filter, (cell: MapCell) => boolean>> = {
  all: () => true,
  can: ({ state }) => state === "granted",
  unused: ({ state, used }) => state === "granted" && used === 0,
  missing: ({ state, requested }) => requested && state !== "granted",
};

export function PermissionMapPage(): VNode {
  const { query } = route.value;
  const filter: Filter = FILTERS.find(([value]) => value === query.get("show"))?.[0] ?? "all";
  const kind = query.get("kind") ?? "";
  const text = query.get("text") ?? "";
  const { data, error, reload } = useLoad(() => ask<PermissionMap>("/v1/permissions"), []);
  const [selected, select] = useState<MapCell | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const show = (cell: MapCell): void => {
    select(cell);
    setOpen(true);
  };
  const change = (next: Readonly<Record<string, string>>): void => replaceQuery({ show: filter, kind, text, ...next });
  return (
    <>
      <PageHeader title="Permission map" about="What manifest, grants and policy together let each plugin do">
        <input
          type="search"
          class="compact"
          aria-label="Filter by plugin or resource"
          placeholder="Plugin or resource"
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
        <select class="compact" aria-label="Kind" value={kind} onChange={({ currentTarget }) => change({ kind: currentTarget.value })}>
          <option value="">All kinds</option>
          {[...new Set(data?.resources.map((resource) => resource.kind))].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Choice label="Shown" values={FILTERS} selected={filter} onSelect={(show) => change({ show })} />
      </PageHeader>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined ? (
        error === undefined && <Skeleton rows={10} />
      ) : (
        <Picture data={data} wanted={{ filter, kind, text }} onSelect={show} />
      )}
      {data !== undefined && data.left > 0 && <p class="note">{data.left} more resources are not shown.</p>}
      {data !== undefined && selected !== undefined && (
        <Details cell={selected} resource={data.resources[selected.resource]} isOpen={isOpen} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

interface Wanted {
  readonly filter: Filter;
  readonly kind: string;
  readonly text: string;
}

function Picture({ data, wanted, onSelect }: PictureProps & { readonly wanted: Wanted }): VNode {
  const isNarrow = useMedia("(width < 52rem)");
  const search = wanted.text.toLowerCase();
  const cells = data.cells.filter((cell) => {
    const resource = data.resources[cell.resource];
    if (resource === undefined || !IS_SHOWN[wanted.filter](cell) || (wanted.kind !== "" && resource.kind !== wanted.kind)) return false;
    return `${cell.plugin} ${resource.kind} ${nameOf(resource)}`.toLowerCase().includes(search);
  });
  if (cells.length === 0)
    return (
      <EmptyState title={data.cells.length === 0 ? "No plugin requests access to anything" : "Nothing fits the filter"} icon={MapIcon}>
        {data.cells.length === 0 ? "A plugin requests permissions in its manifest." : "Choose All, or clear the text."}
      </EmptyState>
    );
  return (
    <>
      {isNarrow ? <List data={data} cells={cells} onSelect={onSelect} /> : <Grid data={data} cells={cells} onSelect={onSelect} />}
      <ul class="map-key">
        {Object.values(LOOKS).map(({ sign, text, tone }) => (
          <li key={sign}>
            <span class={`map-sign ${tone}`} aria-hidden="true">
              {sign}
            </span>
            {text}
          </li>
        ))}
        <li>
          <span class="map-used" aria-hidden="true" />
          used in the last week
        </li>
      </ul>
    </>
  );
}

/** Stays mounted while it is closed, so that the focus returns to the cell. */
function Details({
  cell,
  resource,
  isOpen,
  onClose,
}: {
  readonly cell: MapCell;
  readonly resource: MapResource | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): VNode {
  const { text, tone } = lookOf(cell);
  const name = resource === undefined ? "" : nameOf(resource);
  return (
    <Dialog title={`${cell.plugin}: ${resource?.kind ?? ""} ${name}`} isOpen={isOpen} onClose={onClose}>
      <p>
        <Badge tone={tone}>{text}</Badge>
      </p>
      <Facts
        of={[
          ["Requested in the manifest", cell.requested ? "yes, as written here" : "not as written here"],
          ["Granted by you", cell.granted ? "yes, as written here" : "not as written here"],
          ["Decided by", cell.rule === undefined ? cell.layer : `${cell.layer}: ${cell.rule}`],
          ["Used in the last week", cell.used === 0 ? "never" : `${cell.used} times`],
        ]}
      />
      <p class="dialog-links">
        <a href={href("/plugins/:name", { name: cell.plugin }, { tab: "permissions" })}>Permissions of {cell.plugin}</a>
        {resource !== undefined && <a href={href("/why", {}, { name: cell.plugin, kind: resource.kind, value: pathOf(resource) })}>Why</a>}
      </p>
    </Dialog>
  );
}

/** Why takes paths of the workspace; a resource in another folder is explained by its kind alone. */
function pathOf({ text }: MapResource): string {
  if (text === "$workspace") return ".";
  if (text.startsWith("$workspace/")) return text.slice("$workspace/".length);
  return text.startsWith("$") ? "" : text;
}

function useMedia(query: string): boolean {
  const [isMatch, change] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const stop = new AbortController();
    list.addEventListener("change", ({ matches }) => change(matches), { signal: stop.signal });
    return () => stop.abort();
  }, [query]);
  return isMatch;
}
