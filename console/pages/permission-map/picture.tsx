/** The permission map as a grid, and as a list for a narrow screen. */

import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { MapCell, PermissionMap } from "../../../host/doors/views.ts";
import { href } from "../../shell/router.ts";
import { cellText, nameOf, Resource, Sign } from "./cell.tsx";

export interface PictureProps {
  readonly data: PermissionMap;
  readonly onSelect: (cell: MapCell) => void;
}

/** Arrow keys move in the grid, Enter opens a cell; only one cell is in the order of the Tab key. */
export function Grid({ data, cells, onSelect }: PictureProps & { readonly cells: readonly MapCell[] }): VNode {
  const plugins = data.plugins.filter((name) => cells.some(({ plugin }) => plugin === name));
  const rows = [...new Set(cells.map(({ resource }) => resource))].toSorted((one, other) => one - other);
  const table = useRef<HTMLTableElement>(null);
  const [[row, column], move] = useState<readonly [number, number]>([0, 0]);
  const [atRow, atColumn] = [Math.min(row, rows.length - 1), Math.min(column, plugins.length - 1)];
  function onKeyDown(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ...{ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] },
      ...{ Home: [0, -plugins.length], End: [0, plugins.length], PageUp: [-10, 0], PageDown: [10, 0] },
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (step === undefined) return;
    event.preventDefault();
    const next = [clamp(atRow + step[0], rows.length), clamp(atColumn + step[1], plugins.length)] as const;
    move(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next[0]} ${next[1]}"]`)?.focus();
  }
  return (
    <div class="table-frame map-frame">
      <table class="map" role="grid" aria-label="Access of each plugin to each resource" ref={table} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            {plugins.map((name) => (
              <th key={name} scope="col" class="map-plugin">
                <a href={href("/plugins/:name", { name }, { tab: "permissions" })} tabIndex={-1}>
                  {name}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((index, nth) => {
            const resource = data.resources[index];
            if (resource === undefined) return null;
            const isFirst = nth === 0 || data.resources[rows[nth - 1] ?? 0]?.kind !== resource.kind;
            return (
              <tr key={index} class={isFirst ? "first" : ""}>
                <th scope="row">
                  <Resource of={resource} />
                </th>
                {plugins.map((name, place) => {
                  const cell = cells.find((other) => other.plugin === name && other.resource === index);
                  return (
                    <td
                      key={name}
                      role="gridcell"
                      data-cell={`${nth} ${place}`}
                      tabIndex={nth === atRow && place === atColumn ? 0 : -1}
                      {...(cell !== undefined && {
                        "aria-label": cellText(cell, resource),
                        title: cellText(cell, resource),
                        class: "filled",
                        onClick: () => onSelect(cell),
                        onKeyDown: (event: KeyboardEvent) =>
                          void ((event.key === "Enter" || event.key === " ") && (event.preventDefault(), onSelect(cell))),
                      })}
                      {...(cell === undefined && { "aria-label": `${name}: no access to ${resource.kind} ${nameOf(resource)}` })}
                      onFocus={() => move([nth, place])}
                    >
                      {cell === undefined ? <span class="map-none" aria-hidden="true" /> : <Sign cell={cell} />}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function List({ data, cells, onSelect }: PictureProps & { readonly cells: readonly MapCell[] }): VNode {
  const byPlugin = data.plugins
    .map((name) => [name, cells.filter(({ plugin }) => plugin === name)] as const)
    .filter(([, own]) => own.length > 0);
  return (
    <>
      {byPlugin.map(([plugin, own]) => (
        <section key={plugin} class="section" aria-label={plugin}>
          <h2>
            <a href={href("/plugins/:name", { name: plugin }, { tab: "permissions" })}>{plugin}</a>
          </h2>
          <ul class="map-list">
            {own.map((cell) => {
              const resource = data.resources[cell.resource];
              return (
                resource !== undefined && (
                  <li key={cell.resource}>
                    <button type="button" onClick={() => onSelect(cell)} aria-label={cellText(cell, resource)}>
                      <Sign cell={cell} />
                      <Resource of={resource} />
                    </button>
                  </li>
                )
              );
            })}
          </ul>
        </section>
      ))}
    </>
  );
}

function clamp(index: number, length: number): number {
  return Math.min(Math.max(index, 0), length - 1);
}
