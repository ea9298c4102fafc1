/** Notifies clients of changes in the same tick (SPEC H8). The events of one tick become one notification. */

import type { HostEvent } from "../../audit/events.ts";
import type { Host } from "../../host/host-interface.ts";
import type { McpPrompts } from "./prompts.ts";
import { PLUGINS_URI, pluginUri } from "./plugin-resources.ts";

/** Receiver of change notifications. */
interface ChangeListener {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Change notifications of one host. */
export interface Changes {
  /** Adds a listener. Returns a function that removes it. */
  listen(listener: ChangeListener): () => void;
  close(): void;
}

const TOOLS: ReadonlySet<HostEvent["type"]> = new Set(["tool.registered", "tool.unregistered", "policy.reloaded"] as const);
const PLUGIN_LIST: ReadonlySet<HostEvent["type"]> = new Set([
  "plugin.loaded",
  "plugin.failed",
  "plugin.quarantined",
  "plugin.removed",
] as const);

export function createChanges(host: Pick<Host, "subscribe">, prompts?: Pick<McpPrompts, "onChange">): Changes {
  const listeners = new Set<ChangeListener>();
  let gathered: { tools: boolean; list: boolean; readonly uris: Set<string> } | undefined;

  const stop = host.subscribe((event) => {
    const { type, plugin } = event;
    const isPlugin = type.startsWith("plugin.") || type === "grant.changed";
    if (listeners.size === 0 || !(isPlugin || TOOLS.has(type))) return;
    if (gathered === undefined) {
      gathered = { tools: false, list: false, uris: new Set() };
      void Promise.resolve().then(tell);
    }
    gathered.tools ||= TOOLS.has(type);
    gathered.list ||= PLUGIN_LIST.has(type);
    if (!isPlugin) return;
    gathered.uris.add(PLUGINS_URI);
    if (plugin !== undefined) gathered.uris.add(pluginUri(plugin));
  });

  const stopPrompts = prompts?.onChange?.(() => {
    for (const listener of listeners) listener.promptsChanged();
  });

  function tell(): void {
    const changed = gathered;
    gathered = undefined;
    if (changed === undefined) return;
    for (const listener of listeners) {
      if (changed.tools) listener.toolsChanged();
      if (changed.list) listener.resourcesChanged();
      for (const uri of changed.uris) listener.resourceUpdated(uri);
    }
  }

  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stop();
      stopPrompts?.();
      listeners.clear();
    },
  };
}
