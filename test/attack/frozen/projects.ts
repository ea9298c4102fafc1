/** Projects whose calls wait, and hosts that follow one another. */

import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";

/** A plugin that sleeps. */
export const NAP = `export const nap = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, "woke"));`;

/** Lines of the log with the level `error`. */
export type Defects = string[];

/** Writes a project with a plugin `rest` and its tool `nap`. @returns opens a host of it; its defects go to `defects` */
export async function napping(
  place: string,
  defects: Defects = [],
  source: string = NAP,
  permissions: object = {},
): Promise<(options?: HostOptions) => Promise<Host>> {
  const folder = await realpath(place);
  const tools = [{ name: "nap", description: "Sleeps", inputSchema: { type: "object" }, sideEffects: [] }];
  const manifest = { schemaVersion: "1.0", name: "rest", version: "1.0.0", description: "Sleeps", permissions, tools };
  await mkdir(join(folder, "plugins/rest"), { recursive: true });
  await writeFile(join(folder, "bascule.json"), '{ "plugins": ["plugins"] }');
  await writeFile(join(folder, "plugins/rest/manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "plugins/rest/main.ts"), source);
  const logger = {
    write: (level: string, message: string, fields?: object) =>
      void (level === "error" && defects.push(`${message} ${JSON.stringify(fields)}`)),
    child: () => logger,
  };
  return (options) => createHost({ config: join(folder, "bascule.json"), logger, ...options });
}

/** Waits until a number of calls of a host survive it. */
export async function frozen(host: Host, count: number): Promise<void> {
  await expect.poll(() => host.waiting().length, { timeout: 20_000 }).toBe(count);
}
