/** Parses Prometheus text as Prometheus does, and reports problems as `promtool check metrics` does. */

export interface PrometheusText {
  readonly samples: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  readonly problems: readonly string[];
}

export function readPrometheus(text: string): PrometheusText {
  const samples: { name: string; labels: Record<string, string>; value: number }[] = [];
  const problems: string[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const series = new Set<string>();
  if (text !== "" && !text.endsWith("\n")) problems.push("the last line has no end");
  for (const line of text.split("\n").slice(0, -1)) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) \S/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/.exec(line);
    if (help?.[1] !== undefined) {
      if (helped.has(help[1])) problems.push(`two helps: ${line}`);
      helped.add(help[1]);
      continue;
    }
    if (type?.[1] !== undefined && type[2] !== undefined) {
      if (types.has(type[1])) problems.push(`two types: ${line}`);
      types.set(type[1], type[2]);
      continue;
    }
    const sample = readSample(line);
    if (sample === undefined) {
      problems.push(`no sample: ${line}`);
      continue;
    }
    const family = types.has(sample.name) ? sample.name : sample.name.replace(/_(bucket|sum|count)$/, "");
    const kind = types.get(family);
    if (kind === undefined || !helped.has(family)) problems.push(`no type or help: ${line}`);
    if ((kind === "counter") !== family.endsWith("_total")) problems.push(`only counters end in _total: ${line}`);
    if (!family.startsWith("bascule_")) problems.push(`not ours: ${line}`);
    const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
    if (series.has(key)) problems.push(`twice: ${line}`);
    series.add(key);
    samples.push(sample);
  }
  return { samples, problems };
}

function readSample(line: string): { name: string; labels: Record<string, string>; value: number } | undefined {
  const head = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{?)/.exec(line);
  if (head?.[1] === undefined) return undefined;
  const labels: Record<string, string> = {};
  let at = head[0].length;
  if (head[2] === "{") {
    const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|\})/y;
    for (;;) {
      label.lastIndex = at;
      const found = label.exec(line);
      if (found?.[1] === undefined || found[2] === undefined) return undefined;
      labels[found[1]] = found[2].replace(/\\(.)/g, (_all, escaped: string) => (escaped === "n" ? "\n" : escaped));
      at = label.lastIndex;
      if (found[3] === "}") break;
    }
  }
  const value = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line.slice(at));
  return value === null ? undefined : { name: head[1], labels, value: Number(value[1]) };
}
