/** Plugins with their requested and granted permissions, and versions that wait for acceptance (SPEC C3, H6). */

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import { Permissions, permissionTexts } from "./permissions.tsx";
import { Settings } from "./settings.tsx";
import { attempt, loadPlugins, plugins } from "./state.ts";
import type { Plugin } from "./types.ts";

export function Plugins(): VNode {
  const reload = (): Promise<void> =>
    attempt(async () => {
      await ask("/v1/plugins/reload", {});
      await loadPlugins();
    });
  return (
    <section aria-labelledby="plugins-title">
      <h2 id="plugins-title">Plugins</h2>
      <button onClick={() => void reload()}>Check for changes</button>
      <ol class="cards">
        {plugins.value.map((plugin) => (
          <PluginCard key={`${plugin.name} ${plugin.directory ?? ""}`} plugin={plugin} />
        ))}
      </ol>
    </section>
  );
}

function PluginCard({ plugin }: { readonly plugin: Plugin }): VNode {
  const { name, state, version, description, tools, problems, granted, missing, limits, held, digest } = plugin;
  const act = (path: string, body: unknown): Promise<void> =>
    attempt(async () => {
      await ask(path, body);
      await loadPlugins();
    });
  const place = `/v1/plugins/${encodeURIComponent(name)}`;
  return (
    <li class="card">
      <h3>
        {name} <span class="soft">{version}</span> <span class={`badge ${state}`}>{state}</span>
      </h3>
      {description !== undefined && <p>{description}</p>}
      {problems.map(({ message, severity }, index) => (
        <p key={index} class={severity === "error" ? "trouble" : "soft"}>
          {message}
        </p>
      ))}
      {held !== undefined && (
        <div class="held">
          <h4>
            Version {held.version} waits for you <code>{held.digest.slice(0, 12)}</code>
          </h4>
          <ChangeList words={held.words} />
          <button class="primary" onClick={() => void act(`${place}/accept`, { digest: held.digest })}>
            Accept
          </button>
        </div>
      )}
      {limits.length > 0 && (
        <p>
          Limits above the defaults:{" "}
          {limits.map(({ limit, text, by }) => (
            <code key={limit} class="item">
              {text}
              {by === "policy" && " (set by policy)"}
            </code>
          ))}
        </p>
      )}
      <Permissions plugin={plugin} />
      {Object.keys(missing).length > 0 && (
        <p>
          Not granted:{" "}
          {permissionTexts(missing).map((text) => (
            <code key={text} class="item">
              {text}
            </code>
          ))}
        </p>
      )}
      <div class="line">
        {held === undefined && digest !== undefined && limits.some(({ by }) => by === "consent") && (
          <button onClick={() => void act(`${place}/accept`, { digest })}>Allow the requested limits</button>
        )}
        {Object.keys(missing).length > 0 && (
          <button onClick={() => void act("/v1/grants", { plugin: name, permissions: missing })}>Grant missing permissions</button>
        )}
        {Object.keys(granted).length > 0 && <button onClick={() => void act("/v1/grants/revoke", { plugin: name })}>Revoke all</button>}
      </div>
      <details>
        <summary>
          {tools.length} {tools.length === 1 ? "tool" : "tools"}
        </summary>
        <dl>
          {tools.map((tool) => (
            <div key={tool.qualifiedName}>
              <dt>
                {tool.qualifiedName} <span class={`badge ${tool.class}`}>{tool.class}</span>
              </dt>
              <dd>
                {tool.description} {tool.unavailable !== undefined && <em>unavailable: {tool.unavailable}</em>}
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {plugin.directory !== undefined && <SettingsPart plugin={plugin} />}
    </li>
  );
}

/** Loads the settings when opened. */
function SettingsPart({ plugin: { name, tools } }: { readonly plugin: Plugin }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Settings</summary>
      {isOpen && <Settings plugin={name} tools={tools} />}
    </details>
  );
}
