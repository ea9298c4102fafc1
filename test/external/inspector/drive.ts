/** Drives the SDK's first client, of the revision 2025-06-18: calls a tool repeatedly while its plugin is edited. */

import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Inspected } from "./inspect.ts";
import { editPlugin, PROGRAM } from "./project.ts";

/** The part of the SDK that is used. */
interface Client {
  connect(transport: object): Promise<void>;
  setNotificationHandler(schema: unknown, handler: () => void): void;
  callTool(request: {
    readonly name: string;
    readonly arguments: object;
  }): Promise<{ readonly isError?: boolean; readonly structuredContent?: { readonly version?: number } }>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  close(): Promise<void>;
}
interface ClientModule {
  readonly Client: new (info: object) => Client;
}
interface TransportModule {
  readonly StdioClientTransport: new (options: object) => object;
}
interface TypesModule {
  readonly ToolListChangedNotificationSchema: unknown;
}

const SDK = new URL("node_modules/@modelcontextprotocol/sdk/dist/esm/", import.meta.url);
const EDITS = 25;
const TIMEOUT_MS = 30_000;

export async function driveWhileEdited(folder: string, say: (one: Inspected) => void): Promise<void> {
  const { Client } = await load<ClientModule>("client/index.js");
  const { StdioClientTransport } = await load<TransportModule>("client/stdio.js");
  const { ToolListChangedNotificationSchema } = await load<TypesModule>("types.js");
  const client = new Client({ name: "driver", version: "1" });
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, "mcp"], cwd: folder, stderr: "ignore" }));
  try {
    let calls = 0;
    let seen = 0;
    const wrong: string[] = [];
    const call = async (): Promise<void> => {
      const { isError, structuredContent } = await client.callTool({ name: "edited__say", arguments: { times: 1 } });
      calls++;
      const version = structuredContent?.version ?? -1;
      if (isError === true || version < 0) wrong.push(`call ${String(calls)}: ${JSON.stringify(structuredContent)}`);
      seen = Math.max(seen, version);
    };
    for (let edit = 1; edit <= EDITS; edit++) {
      await editPlugin(folder, edit, []);
      await until(async () => (await Promise.all(Array.from({ length: 8 }, call)), seen === edit), `version ${String(edit)} to serve`);
    }
    const about = `v1 client: ${String(EDITS)} edits while it calls`;
    say(wrong.length === 0 ? { what: `${about} (${String(calls)} calls)` } : { what: about, problem: wrong.slice(0, 5).join("; ") });

    await editPlugin(folder, EDITS + 1, ["other"]);
    // In strict mode: a new tool waits for the user, who is notified.
    await until(async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "accept", "--json"], { cwd: folder });
      return stdout.includes('"tool": "other"');
    }, "the new tool to wait");
    const before = told;
    const listed = async (): Promise<boolean> => (await client.listTools()).tools.some(({ name }) => name === "edited__other");
    const early = await listed();
    await promisify(execFile)(process.execPath, [PROGRAM, "accept", "edited", "--yes"], { cwd: folder });
    await until(async () => told > before && (await listed()), "the new tool to be listed");
    const what = "v1 client: a new tool is listed when it is accepted, and not before";
    say(early ? { what, problem: "it was listed before" } : { what });
  } finally {
    await client.close();
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isSo())) if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`);
}

async function load<T>(path: string): Promise<T> {
  // The packages are not installed in the project, so their types are written above.
  return (await import(pathToFileURL(new URL(path, SDK).pathname).href)) as T;
}
