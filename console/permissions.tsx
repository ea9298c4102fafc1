/** Table of the requested, granted and used permissions of a plugin, per kind (SPEC I5, C3, P9). */

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask } from "./api.ts";
import { attempt } from "./state.ts";
import type { Json, JsonObject, Plugin, Used } from "./types.ts";

export function Permissions({ plugin: { name, requested, granted, directory } }: { readonly plugin: Plugin }): VNode {
  const [used, show] = useState<Used | undefined>(undefined);
  const kinds = [...new Set([...Object.keys(requested), ...Object.keys(granted), ...Object.keys(used?.used ?? {})])];
  const read = (): Promise<void> => attempt(async () => show(await ask<Used>(`/v1/plugins/${encodeURIComponent(name)}/used`)));
  return (
    <>
      {kinds.length > 0 && (
        <table class="permissions">
          <caption>Permissions</caption>
          <thead>
            <tr>
              <th scope="col">kind</th>
              <th scope="col">requested</th>
              <th scope="col">granted</th>
              {used !== undefined && <th scope="col">used</th>}
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <th scope="row">{kind}</th>
                <Cell permissions={requested} kind={kind} />
                <Cell permissions={granted} kind={kind} />
                {used !== undefined && <Cell permissions={used.used} kind={kind} />}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {used === undefined && directory !== undefined && (
        <p>
          <button aria-label={`Show used permissions: ${name}`} onClick={() => void read()}>
            Show used permissions
          </button>
        </p>
      )}
      {used !== undefined && <UsedNotes used={used} />}
    </>
  );
}

function UsedNotes({ used: { calls, since, unused, leftOut, leftOutMore } }: { readonly used: Used }): VNode {
  const never = unused.grants.map(({ kind, item }) => `${kind} ${itemText(item)}`);
  return (
    <div role="status">
      <p class="soft">
        {calls === 0 || since === undefined ? "No calls in the journal." : `${calls} calls since ${new Date(since).toLocaleString()}.`}
      </p>
      {never.length > 0 && (
        <p>
          Granted and never used:{" "}
          {never.map((text) => (
            <code key={text} class="item">
              {text}
            </code>
          ))}
        </p>
      )}
      {leftOut.length > 0 && (
        <ul>
          {leftOut.map(({ kind, value, reason }) => (
            <li key={`${kind} ${value}`}>
              tried {kind} <code>{value}</code>: {reason}
            </li>
          ))}
          {leftOutMore > 0 && <li>and {leftOutMore} more</li>}
        </ul>
      )}
    </div>
  );
}

/** Returns texts such as `read $workspace` and `net example.com`. */
export function permissionTexts(permissions: JsonObject): readonly string[] {
  return Object.entries(permissions).flatMap(([kind, value]) => itemsOf(value).map((text) => `${kind} ${text}`));
}

function Cell({ permissions, kind }: { readonly permissions: JsonObject; readonly kind: string }): VNode {
  const items = itemsOf(Object.hasOwn(permissions, kind) ? permissions[kind] : undefined);
  return (
    <td>
      {items.length === 0
        ? "nothing"
        : items.map((text) => (
            <code key={text} class="item">
              {text}
            </code>
          ))}
    </td>
  );
}

/** Returns the items of a kind's value, which is a boolean, a list, or an object with `allow` and `deny`. */
function itemsOf(value: Json | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return ["everything"];
  if (Array.isArray(value)) return value.map(itemText);
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  // The value is neither null nor a list, so it is an object.
  const { allow, deny } = value as JsonObject;
  return [...itemsOf(allow), ...itemsOf(deny).map((text) => `not ${text}`)];
}

function itemText(item: Json): string {
  return item === true ? "everything" : typeof item === "string" ? item : JSON.stringify(item);
}
