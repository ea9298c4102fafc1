/**
 * `npm run external -- packages`, first half: vendors each package of `programs/package.json` alone, as `bascule vendor` does, and records
 * whether it loads in the sandbox, in which build, and what it lacks.
 */

import { mkdtemp, readFile, realpath, rm, symlink, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentPlatform } from "../../host/platform/mod.ts";
import { vendorPlugin } from "../../host/plugins/vendoring/vendor-plugin.ts";

/** Result for one package. */
export interface PackageLoad {
  readonly version: string;
  /** The build that loads; absent if none does. */
  readonly build?: string;
  /** Node modules and packages that it names and that throw when they are used. */
  readonly lacks?: readonly string[];
  /** Why it does not load. */
  readonly why?: string;
}

/** Results by package. */
export type PackageLoads = ReadonlyMap<string, PackageLoad>;

const LIST = fileURLToPath(new URL("./programs/package.json", import.meta.url));
const BASELINE = fileURLToPath(new URL("./baselines/package-loads.json", import.meta.url));
const AT_ONCE = 2;

export async function readPackageLoads(): Promise<PackageLoads> {
  // Both files are written by this program and reviewed as source code.
  return new Map(Object.entries(JSON.parse(await readFile(BASELINE, "utf8")) as Record<string, PackageLoad>));
}

/** @returns 1 if a package of the same version loaded before and does not any more */
export async function runPackageLoads(
  root: string,
  options: { readonly filter: readonly string[]; readonly update: boolean; readonly print: (line: string) => void },
): Promise<number> {
  const { dependencies } = JSON.parse(await readFile(LIST, "utf8")) as { readonly dependencies: Readonly<Record<string, string>> };
  const { filter, update, print } = options;
  const names = Object.entries(dependencies).filter(([name]) => filter.length === 0 || filter.some((text) => name.includes(text)));
  const known = await readPackageLoads().catch(() => new Map<string, PackageLoad>());
  const results = new Map<string, PackageLoad>();
  const waiting = [...names];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await loadPackage(root, next);
      results.set(next[0], result);
      print(lineOf(next[0], result));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const lost = [...results].filter(([name, { version, build }]) => {
    const before = known.get(name);
    return before?.version === version && before.build !== undefined && build === undefined;
  });
  print(`\n${String([...results.values()].filter(({ build }) => build !== undefined).length)} of ${String(results.size)} packages load`);
  for (const [name] of lost) print(`REGRESSION: ${name} does not load any more`);
  if (update) {
    const all = [...known, ...results].filter(([name]) => Object.hasOwn(dependencies, name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    await writeFile(BASELINE, `${JSON.stringify(Object.fromEntries(all), undefined, 1)}\n`);
  }
  return lost.length > 0 && !update ? 1 : 0;
}

async function loadPackage(root: string, [name, version]: readonly [string, string]): Promise<PackageLoad> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-loads-")));
  try {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const directory = join(folder, "plugin");
    await mkdir(directory);
    const platform = currentPlatform({ log: { level: "error" } });
    const target = `npm:${name}@${version}`;
    const outcome = await vendorPlugin({ platform, plugin: "loads", directory, imports: { [name]: target }, sources: new Map() });
    if (!outcome.ok) return { version, why: withoutPaths(outcome.message, target) };
    const build = outcome.packages[target]?.build ?? "default";
    const lacks = [...new Set(outcome.missing.map(({ module }) => module))].toSorted();
    return { version, build, ...(lacks.length > 0 && { lacks }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** First line, without the parts that every message has. */
function withoutPaths(message: string, target: string): string {
  return (message.split("\n")[0] ?? "")
    .replace(`"${target}" `, "")
    .replace(/^does not load in a plugin[^:]*: /, "")
    .slice(0, 300);
}

function lineOf(name: string, { build, lacks = [], why }: PackageLoad): string {
  return build === undefined ? `✗ ${name}: ${why ?? ""}` : `✓ ${name} ${build}${lacks.length === 0 ? "" : `, lacks ${lacks.join(" ")}`}`;
}
