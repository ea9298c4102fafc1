/** A project with one plugin that is edited, and the server that serves it. */

import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PROGRAM: string = fileURLToPath(new URL("../../../bin/bascule.mjs", import.meta.url));

const SAY = {
  name: "say",
  description: "Says its version",
  inputSchema: { type: "object", properties: { times: { type: "integer", minimum: 1 } }, required: ["times"], additionalProperties: false },
  outputSchema: { type: "object", properties: { version: { type: "integer" }, times: { type: "integer" } } },
  sideEffects: [],
};

/** Its tools need no confirmation. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, "plugins", "edited"), { recursive: true });
  await writeFile(join(folder, "bascule.json"), JSON.stringify({ server: { port: 17_420 } }));
  await editPlugin(folder, 0, []);
}

/** @param more names of tools besides `say`; a new tool waits until the user accepts it, new code does not */
export async function editPlugin(folder: string, version: number, more: readonly string[]): Promise<void> {
  const tools = [SAY, ...more.map((name) => ({ ...SAY, name, export: "say" }))];
  const manifest = { schemaVersion: "1.0", name: "edited", version: "1.0.0", description: "Is edited", tools };
  await writeFile(join(folder, "plugins/edited/main.ts"), `export const say = ({ times }) => ({ version: ${version}, times });\n`);
  await writeFile(join(folder, "plugins/edited/manifest.json"), JSON.stringify(manifest));
}

export interface ServedProject {
  readonly url: string;
  /** Token for calls. */
  readonly token: string;
  stop(): Promise<void>;
}

export async function serveProject(folder: string): Promise<ServedProject> {
  const child = spawn(process.execPath, [PROGRAM, "serve"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    const hear = (chunk: Uint8Array): void => {
      said += new TextDecoder().decode(chunk);
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => reject(new Error(`The server ended: ${said}`)));
  });
  const token = (await readFile(join(folder, ".bascule/call.token"), "utf8")).trim();
  return {
    url: `${url}/mcp`,
    token,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
