/**
 * `npm run external -- mcp-gateway`: calls official MCP servers directly and through a host's MCP door. Listings and answers are
 * compared whole; accepted differences are in `HONEST_DIFFERENCES` of `test/support/mcp-through.ts`, each with its reason.
 */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { createHost, type JsonObject } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import {
  answerAsDirect,
  directAnswer,
  directly,
  HONEST_DIFFERENCES,
  plain,
  throughHost,
  type Through,
  toolAsDirect,
} from "../../support/mcp-through.ts";
import { OFFICIAL_SERVERS, type OfficialServer } from "./calls.ts";

/** The release of all four servers. */
const RELEASE = "2026.8.31";
const CALL_MS = 60_000;

/** Prints the outcome. */
export async function runMcpGateway(print: (line: string) => void): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-gateway-")));
  try {
    await install(folder);
    let failures = 0;
    for (const server of OFFICIAL_SERVERS) failures += await compareServer(server, folder, print);
    print("What may differ:");
    for (const [what, why] of Object.entries(HONEST_DIFFERENCES)) print(`  ${what}: ${why}`);
    return failures === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function install(folder: string): Promise<void> {
  await writeFile(join(folder, "package.json"), "{}");
  const packages = OFFICIAL_SERVERS.map(({ name }) => `@modelcontextprotocol/server-${name}@${RELEASE}`);
  await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], { cwd: folder });
}

/** @returns the number of differences */
async function compareServer(server: OfficialServer, folder: string, print: (line: string) => void): Promise<number> {
  const { name } = server;
  const [own, hosts] = [await world(server, folder, "direct"), await world(server, folder, "host")];
  const project = join(folder, `project-${name}`);
  await mkdir(project);
  const config = join(project, "bascule.json");
  const { command, args, env } = hosts;
  const listed = { command, args, env: { ...getDefaultEnvironment(), ...env }, sideEffects: [], timeoutMs: CALL_MS };
  await writeFile(config, JSON.stringify({ mcpServers: { far: listed }, audit: { store: false } }));
  await using host = await createHost({ platform: currentPlatform({ log: { level: "error" } }), config, plugins: [] });
  // A tool that its server calls destructive needs a confirmation.
  await using through = await throughHost(host, { agrees: true });
  await using direct = await directly(own.command, own.args, own.env);
  const failed: string[] = [];
  const check = (what: string, wanted: JsonObject, got: JsonObject): void => {
    if (isDeepStrictEqual(got, wanted)) return;
    failed.push(what);
    print(`  ✗ ${what}\n    direct  ${JSON.stringify(wanted).slice(0, 1_000)}\n    through ${JSON.stringify(got).slice(0, 1_000)}`);
  };

  const tools = await listOf(direct);
  const seen = new Map((await listOf(through)).map((tool) => [tool["name"], tool]));
  for (const tool of tools) {
    const own = tool["name"] as string;
    const got = seen.get(`mcp__far__${own}`);
    const { execution, ...rest } = tool;
    const isTask = (execution as JsonObject | undefined)?.["taskSupport"] !== "forbidden";
    check(`${name} lists ${own}`, isTask ? rest : tool, got === undefined ? {} : plain(toolAsDirect(got, tool, "far")));
    if (!server.calls.some(([called]) => called === own)) check(`${name}: no call of ${own}`, {}, tool);
  }
  for (const [tool, args] of server.calls) {
    const wanted = plainly(directAnswer(await ask(direct, tool, args, own.root)), own.root);
    const got = plainly(answerAsDirect(await ask(through, `mcp__far__${tool}`, args, hosts.root), wanted), hosts.root);
    if (typeof wanted["protocolError"] !== "string") check(`${name} answers ${tool} ${JSON.stringify(args)}`, wanted, got);
    else check(`${name} refuses ${tool}`, { isError: true, content: [{ type: "text", text: wanted["protocolError"] }] }, got);
  }
  print(
    `${name}: ${String(tools.length)} tools and ${String(server.calls.length)} answers compared, ${String(failed.length)} not the same`,
  );
  return failed.length;
}

interface World {
  readonly root: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a folder with the same files for each side. */
async function world({ name, args, env }: OfficialServer, folder: string, side: string): Promise<World> {
  const root = join(folder, name, side);
  await mkdir(root, { recursive: true });
  const files: readonly (readonly [string, Uint8Array | string])[] = [
    ["pixel.png", Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64")],
    ["sound.wav", "RIFF"],
    ["data.bin", Uint8Array.of(0, 255, 1)],
    ["large.txt", "0123456789abcdef\n".repeat(20_000)],
  ];
  if (name === "filesystem") for (const [file, content] of files) await writeFile(join(root, file), content);
  const program = join(folder, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
  return { root, command: process.execPath, args: [program, ...args.map((one) => at(one, root))], env: atAll(env, root) };
}

async function listOf({ client }: Through): Promise<readonly JsonObject[]> {
  return (await client.listTools()).tools.map(plain);
}

async function ask({ client }: Through, tool: string, args: JsonObject, root: string): Promise<JsonObject> {
  try {
    return plain(await client.callTool({ name: tool, arguments: atAll(args, root) }, { timeout: CALL_MS }));
  } catch (error) {
    return { protocolError: error instanceof Error ? error.message : String(error) };
  }
}

function at(text: string, root: string): string {
  return text.replaceAll("$ROOT", root);
}

function atAll<T extends object>(value: T, root: string): T {
  return JSON.parse(at(JSON.stringify(value), root)) as T;
}

/** Environment variables have no order. */
function ofVariables(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/,$/, ""))
    .toSorted()
    .join("\n");
}

/** Removes values that change with each call: the caller's folder, times, and times in the text of blobs. */
function plainly(answer: JsonObject, root: string): JsonObject {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === "blob" && typeof value === "string" ? { decoded: Buffer.from(value, "base64").toString("latin1") } : value,
  );
  const timeless = text
    .replaceAll(root, "$ROOT")
    .replaceAll(/\b\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?: [AP]M)?/g, "TIME")
    .replaceAll(/(?<="|: )(?:\w{3} \w{3} \d{2} \d{4}|\d{4}-\d{2}-\d{2}T)[^"\\]*/g, "DATE");
  return JSON.parse(timeless, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith('{\n  "HOME"') ? ofVariables(value) : value,
  ) as JsonObject;
}
