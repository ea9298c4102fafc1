/** Metrics as text for Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4). Pure. */

import type { Labels, MetricFamily } from "./metric.ts";

/** What the text is served as. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A label that is longer is cut. No name of a tool is: two that were cut alike would be one series twice, and nothing at all is read then. */
const LABEL_LENGTH = 192;

/**
 * Each family with its help, its type and a line for each sample, in the order given. A family without samples is left out.
 *
 * @example
 * ```ts
 * toPrometheus([{ name: "bascule_calls_total", help: "Calls", type: "counter", samples: [{ labels: { tool: "echo" }, value: 2 }] }]);
 * // # HELP bascule_calls_total Calls
 * // # TYPE bascule_calls_total counter
 * // bascule_calls_total{tool="echo"} 2
 * ```
 */
export function toPrometheus(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map((family) => `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n${toLines(family)}`)
    .join("");
}

function toLines(family: MetricFamily): string {
  const { name } = family;
  if (family.type !== "histogram") return family.samples.map(({ labels, value }) => line(name, labels, value)).join("");
  return family.samples
    .map(({ labels, buckets, sum, count }) => {
      let below = 0;
      const steps = family.bounds.map((bound, index) => {
        below += buckets[index] ?? 0;
        return line(`${name}_bucket`, { ...labels, le: String(bound) }, below);
      });
      const all = line(`${name}_bucket`, { ...labels, le: "+Inf" }, count);
      return `${steps.join("")}${all}${line(`${name}_sum`, labels, sum)}${line(`${name}_count`, labels, count)}`;
    })
    .join("");
}

function line(name: string, labels: Labels, value: number): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${written.length === 0 ? "" : `{${written.join(",")}}`} ${String(value)}\n`;
}

/** Only these three can end a label's value or its line; lone surrogates are no UTF-8. */
function escapeLabel(text: string): string {
  const short = text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text;
  return short
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
