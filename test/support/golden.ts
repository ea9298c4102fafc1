/** Golden logs: compares a test's events one by one with a committed file (SPEC AU8). */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { cacheFolder } from "../../host/platform/files/cache-folder.ts";
import { configFolder } from "../../host/platform/files/config-folder.ts";

const CASES = fileURLToPath(new URL("../golden/cases/", import.meta.url));
/** Writes the files instead of comparing them: `UPDATE_GOLDEN=1 npx vitest run test/golden`. */
const UPDATE = process.env["UPDATE_GOLDEN"] === "1";

/**
 * Compares a log with the committed one of that name. Only ids, times and folders become placeholders.
 *
 * @param folder the test's folder, if it is a temporary one
 */
export async function matchesGolden(name: string, log: readonly unknown[], folder?: string): Promise<void> {
  const file = `${CASES}${name}.json`;
  const seen = normalized(log, folder);
  if (UPDATE) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `[\n${seen.map((entry) => `  ${JSON.stringify(entry)}`).join(",\n")}\n]\n`);
    return;
  }
  const golden = JSON.parse(await readFile(file, "utf8")) as unknown[];
  for (const [index, entry] of seen.entries()) expect(entry, `event ${index} of ${name}`).toEqual(golden[index]);
  expect(seen, name).toHaveLength(golden.length);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** Keys of measured times. `wallMs` of limits is not measured. */
const MEASURED = new Set(["time", "durationMs", "duration_ms", "waitedMs"]);

function normalized(log: readonly unknown[], folder: string | undefined): readonly unknown[] {
  const ids = new Map<string, string>();
  // Folders that differ between machines.
  const places = new Map([
    [cacheFolder(), "<cache>"],
    [configFolder(), "<config>"],
    ...(folder === undefined ? [] : ([[folder, "<folder>"]] as const)),
    [process.cwd(), "<project>"],
  ]);
  const text = (value: string): string => {
    let here = value;
    for (const [path, name] of places) here = here.replaceAll(path, name);
    return here.replace(UUID, (id) => {
      const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
      ids.set(id, known);
      return known;
    });
  };
  const walk = (value: unknown, path: readonly string[]): unknown => {
    const key = path.at(-1) ?? "";
    if (typeof value === "string") return key === "datetime" ? "<time>" : text(value);
    if (typeof value === "number") return MEASURED.has(key) || (key === "wallMs" && path.at(-2) === "limitsUsed") ? "<time>" : value;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, String(index)]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, [...path, name])]));
  };
  return log.map((entry) => walk(JSON.parse(JSON.stringify(entry)), []));
}
