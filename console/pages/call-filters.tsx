/** Filters of the calls, in the address, and views: filters with a name that this browser keeps. */

import { type Signal, useSignal } from "@preact/signals";
import { BookmarkPlus, Trash2 } from "lucide";
import type { VNode } from "preact";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/overlays.tsx";
import { type CallRow, calls, CALL_STATES } from "../data/calls.ts";
import { href, replaceQuery } from "../shell/router.ts";
import { keptSignal } from "../shell/preferences.ts";

/** Members of the address. Absent members match every call. */
export type CallFilter = Readonly<Partial<Record<(typeof MEMBERS)[number], string>>>;

const MEMBERS = ["text", "state", "plugin", "session"] as const;

interface SavedView {
  readonly name: string;
  readonly filter: CallFilter;
}

const VIEWS: readonly SavedView[] = [
  { name: "All", filter: {} },
  { name: "Running", filter: { state: "running" } },
  { name: "Waiting", filter: { state: "waiting" } },
  { name: "Failed", filter: { state: "failed" } },
  { name: "Denied", filter: { state: "denied" } },
];
const MAX_VIEWS = 30;

const saved: Signal<readonly SavedView[]> = keptSignal<readonly SavedView[]>("views", [], readViews);

export function readFilter(query: URLSearchParams): CallFilter {
  return Object.fromEntries(MEMBERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? ""]] : [])));
}

export function matches(call: CallRow, { text, state, plugin, session }: CallFilter): boolean {
  if (state !== undefined && call.state !== state) return false;
  if (plugin !== undefined && call.plugin !== plugin) return false;
  if (session !== undefined && call.sessionId !== session) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [call.tool, call.plugin, call.callId, call.code, call.message].some((value) => value?.toLowerCase().includes(wanted));
}

export function CallFilters({ filter }: { readonly filter: CallFilter }): VNode {
  const isNaming = useSignal(false);
  const change = (name: (typeof MEMBERS)[number], value: string): void => replaceQuery({ ...filter, [name]: value });
  const plugins = [...new Set(calls.value.flatMap(({ plugin }) => plugin ?? []))].toSorted();
  const key = keyOf(filter);
  const all = [...VIEWS, ...saved.value];
  const own = saved.value.find((view) => keyOf(view.filter) === key);
  return (
    <div class="filters">
      <ul class="views" aria-label="Views">
        {all.map((view) => (
          <li key={view.name}>
            <a
              href={href("/calls", {}, view.filter as Record<string, string>)}
              {...(keyOf(view.filter) === key && { "aria-current": "true" as const })}
            >
              {view.name}
            </a>
          </li>
        ))}
      </ul>
      <div class="filter-fields" role="search">
        <input
          type="search"
          aria-label="Search in tool, plugin, error and id"
          placeholder="Search tool, plugin, error, id"
          value={filter.text ?? ""}
          onInput={({ currentTarget }) => change("text", currentTarget.value)}
        />
        <select aria-label="State" value={filter.state ?? ""} onChange={({ currentTarget }) => change("state", currentTarget.value)}>
          <option value="">All states</option>
          {CALL_STATES.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
        <select aria-label="Plugin" value={filter.plugin ?? ""} onChange={({ currentTarget }) => change("plugin", currentTarget.value)}>
          <option value="">All plugins</option>
          {plugins.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {filter.session !== undefined && (
          <Button label={`Session ${filter.session.slice(-8)}, show all sessions`} onClick={() => change("session", "")}>
            Session {filter.session.slice(-8)} ×
          </Button>
        )}
        {own !== undefined ? (
          <Button variant="ghost" icon={Trash2} onClick={() => (saved.value = saved.value.filter((view) => view !== own))}>
            Delete view
          </Button>
        ) : (
          key !== "" &&
          !VIEWS.some((view) => keyOf(view.filter) === key) && (
            <Button variant="ghost" icon={BookmarkPlus} onClick={() => (isNaming.value = true)}>
              Save view
            </Button>
          )
        )}
      </div>
      <NameDialog isOpen={isNaming} filter={filter} />
    </div>
  );
}

function NameDialog({ isOpen, filter }: { readonly isOpen: Signal<boolean>; readonly filter: CallFilter }): VNode {
  const name = useSignal("");
  const save = (): void => {
    const text = name.value.trim().slice(0, 40);
    if (text === "") return;
    saved.value = [...saved.value.filter((view) => view.name !== text), { name: text, filter }].slice(-MAX_VIEWS);
    isOpen.value = false;
    name.value = "";
  };
  return (
    <Dialog
      title="Save view"
      isOpen={isOpen.value}
      onClose={() => (isOpen.value = false)}
      actions={
        <Button variant="primary" onClick={save}>
          Save
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <label>
          Name
          <input
            data-autofocus="true"
            value={name.value}
            maxLength={40}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </label>
      </form>
    </Dialog>
  );
}

function keyOf(filter: CallFilter): string {
  return MEMBERS.flatMap((name) => (filter[name] ? [`${name}=${filter[name]}`] : [])).join("&");
}

function readViews(kept: unknown): readonly SavedView[] | undefined {
  if (!Array.isArray(kept)) return undefined;
  return kept.slice(0, MAX_VIEWS).flatMap((view: unknown) => {
    if (typeof view !== "object" || view === null || !("name" in view) || !("filter" in view)) return [];
    const { name, filter } = view;
    if (typeof name !== "string" || typeof filter !== "object" || filter === null) return [];
    const members = Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return [{ name, filter: readFilter(new URLSearchParams(members)) }];
  });
}
