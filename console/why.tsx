/** Explains why a tool may or may not be called, or do something (SPEC P6). */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { ask } from "./api.ts";
import { attempt } from "./state.ts";
import type { Explanation } from "./types.ts";

const answers: Signal<readonly Explanation[]> = signal([]);
const KINDS = ["read", "write", "net", "env", "run", "sys", "ffi", "import", "tools", "mcp"];

export function Why(): VNode {
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(event.currentTarget)) if (typeof value === "string" && value !== "") query.set(name, value);
    void attempt(async () => {
      answers.value = (await ask<{ readonly tools: readonly Explanation[] }>(`/v1/why?${query.toString()}`)).tools;
    });
  }
  return (
    <section aria-labelledby="why-title">
      <h2 id="why-title">Why</h2>
      <p class="soft">Shows which rule or layer decides whether a tool may be called, or may do something such as read a path.</p>
      <form class="search" onSubmit={submit}>
        <label>
          tool or plugin <input name="name" required />
        </label>
        <label>
          act{" "}
          <select name="kind">
            <option value="">(to be called)</option>
            {KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          on <input name="value" placeholder="path or host" />
        </label>
        <button type="submit">Explain</button>
      </form>
      {answers.value.map((answer) => (
        <Answer key={answer.tool} answer={answer} />
      ))}
    </section>
  );
}

function Answer({
  answer: { tool, verdict, because, class: level, route, confirm, toolLayers, act },
}: {
  readonly answer: Explanation;
}): VNode {
  const layers =
    act?.layers ?? toolLayers.map(({ layer, allowed, rule }) => ({ layer, state: allowed ? "allowed" : "denied", rule, decided: false }));
  return (
    <div class="card">
      <h3>
        {tool} <span class={`badge ${verdict}`}>{act?.state ?? verdict}</span>
      </h3>
      <p>
        decided by {because.layer} ({because.rule}); class {level}, route {route}, confirmation {confirm}
      </p>
      {layers.length > 0 && (
        <table>
          <caption>Verdict of each layer</caption>
          <thead>
            <tr>
              <th scope="col">layer</th>
              <th scope="col">verdict</th>
              <th scope="col">rule</th>
            </tr>
          </thead>
          <tbody>
            {layers.map(({ layer, state, rule, decided }, index) => (
              <tr key={index}>
                <th scope="row">{layer}</th>
                <td>
                  {state}
                  {decided && " (decided)"}
                </td>
                <td>{rule}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
