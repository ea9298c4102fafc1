/**
 * `npm run external -- inspector`: runs other projects' clients against real bascule servers, `bascule mcp` and `/mcp` of
 * `bascule serve`.
 *
 * The official inspector's command line lists, calls and reads, with good and bad arguments, in every protocol era and on both
 * transports; the SDK's first client calls a server while its plugin is edited. Their packages are in this folder's own
 * node_modules.
 */

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { driveWhileEdited } from "./drive.ts";
import { type Inspected, inspectServer } from "./inspect.ts";
import { makeProject, serveProject } from "./project.ts";

const PACKAGES = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/package.json", import.meta.url));

/** Prints the outcome. */
export async function runInspector(print: (line: string) => void): Promise<number> {
  if ((await stat(PACKAGES).catch(() => undefined)) === undefined) {
    print("inspector: skipped, because its packages are not there (npm --prefix test/external/inspector ci)");
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), "bascule-inspector-"));
  try {
    await makeProject(folder);
    const failures: string[] = [];
    const say = ({ what, problem }: Inspected): void => {
      print(`  ${problem === undefined ? "✓" : "✗"} ${what}${problem === undefined ? "" : `: ${problem}`}`);
      if (problem !== undefined) failures.push(what);
    };
    await inspectServer({ name: "stdio", folder, home: folder }, say);
    const server = await serveProject(folder);
    try {
      await inspectServer({ name: "http", folder, home: folder, url: server.url, token: server.token }, say);
    } finally {
      await server.stop();
    }
    await driveWhileEdited(folder, say);
    print(`inspector: ${failures.length === 0 ? "everything is as it should be" : `${String(failures.length)} failed`}`);
    return failures.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
