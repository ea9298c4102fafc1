/** Plugins: what each asks for, what it holds, and versions that wait for a person (SPEC C3, H6). */

import type { VNode } from "preact";
import { ask } from "./api.ts";
import { attempt, loadPlugins, plugins } from "./state.ts";
import type { JsonObject, Plugin } from "./types.ts";

export function Plugins(): VNode {
  const reload = (): Promise<void> =>
    attempt(async () => {
      await ask("/v1/plugins/reload", {});
      await loadPlugins();
    });
  return (
    <section aria-labelledby="plugins-title">
      <h2 id="plugins-title">Plugins</h2>
      <button onClick={() => void reload()}>Look for changes</button>
      <ol class="cards">
        {plugins.value.map((plugin) => (
          <PluginCard key={`${plugin.name} ${plugin.directory ?? ""}`} plugin={plugin} />
        ))}
      </ol>
    </section>
  );
}

function PluginCard({ plugin }: { readonly plugin: Plugin }): VNode {
  const { name, state, version, description, tools, problems, requested, granted, missing, held } = plugin;
  const kinds = [...new Set([...Object.keys(requested), ...Object.keys(granted)])];
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
      {kinds.length > 0 && (
        <table>
          <caption>Permissions</caption>
          <thead>
            <tr>
              <th scope="col">kind</th>
              <th scope="col">asks for</th>
              <th scope="col">granted</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <th scope="row">{kind}</th>
                <td>{textOf(requested, kind)}</td>
                <td>{textOf(granted, kind)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {Object.keys(missing).length > 0 && (
        <p>
          <button onClick={() => void act("/v1/grants", { plugin: name, permissions: missing })}>Grant what is missing</button>{" "}
          <code>{JSON.stringify(missing)}</code>
        </p>
      )}
      {Object.keys(granted).length > 0 && (
        <p>
          <button onClick={() => void act("/v1/grants/revoke", { plugin: name })}>Take all back</button>
        </p>
      )}
      {held !== undefined && (
        <div class="held">
          <h4>
            Version {held.version} waits for you <code>{held.digest.slice(0, 12)}</code>
          </h4>
          <ul>
            {held.changes.map((change, index) => (
              <li key={index}>
                <code>{JSON.stringify(change)}</code>
              </li>
            ))}
          </ul>
          <button class="primary" onClick={() => void act(`${place}/accept`, { digest: held.digest })}>
            Accept
          </button>
        </div>
      )}
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
    </li>
  );
}

function textOf(permissions: JsonObject, kind: string): string {
  const value = permissions[kind];
  return value === undefined ? "nothing" : JSON.stringify(value);
}
