/** Serializes metrics as Prometheus text (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4). Pure. */

import type { Labels, MetricFamily } from "./metric.ts";

/** Media type of the text. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Maximum characters of a label value; longer values are cut. Tool names are always shorter: two names cut to the same label would be a
 * duplicate series, and Prometheus would reject the whole text.
 */
const LABEL_LENGTH = 192;

/**
 * Writes each family with its help, its type and a line per sample, in the given order. Families without samples are left out.
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

/** Escapes the three characters that can end a label's value or line, and replaces lone surrogates, which UTF-8 cannot encode. */
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
