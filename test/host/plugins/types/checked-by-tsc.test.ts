import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { GLOBALS_FILE, pluginTypes } from "../../../../host/plugins/types/plugin-types.ts";
import { TSCONFIG_FILE, TSCONFIG_TEXT } from "../../../../host/plugins/types/tsconfig-text.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import { runCommand } from "../../../../scripts/run-command.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { manifestWith } from "./manifest-with.ts";

const SEARCH = {
  name: "search_files",
  description: "Searches",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string" },
      mode: { enum: ["fast", "slow"] },
      limit: { type: "integer", default: 10 },
      tags: { type: "array", items: { type: ["string", "null"] } },
    },
    required: ["path"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { found: { type: "array", items: { type: "object", properties: { line: { type: "integer" } }, required: ["line"] } } },
    required: ["found"],
  },
  sideEffects: [],
};

const SETTINGS = { type: "object", properties: { depth: { type: "integer", default: 3 }, root: { type: "string" } } };

/** Creates a plugin's folder with its types and the given files. */
async function pluginFolder(permissions: Permissions, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  const types = pluginTypes(manifestWith({ permissions, tools: [SEARCH], settingsSchema: SETTINGS }));
  for (const [path, text] of [...types, [TSCONFIG_FILE, TSCONFIG_TEXT] as const, ...Object.entries(files)]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Returns the lines of `main.ts` that do not type-check, each with its first error. */
async function mistakes(permissions: Permissions, lines: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = await pluginFolder(permissions, { "main.ts": `${HEAD}\n${lines.join("\n")}\n${TAIL}` });
  const { output } = await runCommand("tsc", ["-p", folder, "--pretty", "false"], { cwd: folder });
  const found = new Map<string, string>();
  for (const [, line = "", message = ""] of output.matchAll(/^main\.ts\((\d+),\d+\): error (.*)$/gmu)) {
    const code = lines[Number(line) - HEAD.split("\n").length - 1] ?? `line ${line}`;
    // Later errors of a line follow from the first one.
    if (!found.has(code)) found.set(code, message);
  }
  if (found.size === 0 && output !== "") throw new Error(output);
  return found;
}

const HEAD = [
  `import type { Context, SearchFilesArgs, SearchFilesOutput, ToolOutput } from "./bascule.d.ts";`,
  `export async function search_files(args: SearchFilesArgs, context: Context): Promise<unknown> {`,
].join("\n");

const TAIL = "  return undefined;\n}\n";

/** One use per line, with the permissions that it needs. */
const USES: readonly (readonly [code: string, ...needs: ("read" | "write" | "env")[]])[] = [
  [`  await Deno.readTextFile(args.path);`, "read"],
  [`  Deno.readFileSync(new URL("file:///x")).buffer.slice(0);`, "read"],
  [`  for await (const entry of Deno.readDir(".")) entry.name.at(0);`, "read"],
  [`  [...Deno.readDirSync(".")].map((entry) => entry.isFile);`, "read"],
  [`  (await Deno.stat(".")).mtime?.getTime();`, "read"],
  [`  let entry: Deno.DirEntry;`, "read"],
  [`  (await context.workspace.read("a", { offset: 0, length: 1 })).at(0);`, "read"],
  [`  (await context.workspace.list()).map(({ kind }) => kind === "directory");`, "read"],
  [`  await Deno.writeTextFile("a", "b", { append: true });`, "write"],
  [`  Deno.writeFileSync("a", new Uint8Array());`, "write"],
  [`  await Deno.mkdir("a", { recursive: true });`, "write"],
  [`  await Deno.remove("a");`, "write"],
  [`  (await Deno.makeTempDir({ prefix: "x" })).at(0);`, "write"],
  [`  await context.workspace.write("a", "b");`, "write"],
  [`  await context.workspace.delete("a");`, "write"],
  [`  await Deno.rename("a", "b");`, "read", "write"],
  [`  Deno.copyFileSync("a", "b");`, "read", "write"],
  [`  await context.workspace.patch("a", "b", "c");`, "read", "write"],
  [`  Deno.env.get("HOME")?.at(0);`, "env"],
  [`  Deno.env.toObject()["HOME"];`, "env"],
];

/** APIs that every plugin has. */
const FREE: readonly string[] = [
  `  console.log(args.path, [1].at(0), new Set([1]).union(new Set([2])).size, await Array.fromAsync([1]));`,
  `  new URL("a:b").searchParams.forEach((value, key) => console.table({ value, key }));`,
  `  clearTimeout(setTimeout((word) => word.at(0), 10, "x"));`,
  `  crypto.getRandomValues(new Uint8Array(4)).at(0); crypto.randomUUID().length;`,
  `  structuredClone({ a: 1 }).a.toFixed(); atob(btoa("x")); performance.now().toFixed(); navigator.userAgent.at(0);`,
  `  for await (const part of ReadableStream.from([new Uint8Array()]).pipeThrough(new TextDecoderStream())) part.at(0);`,
  `  new ReadableStream<number>({ start: (controller) => controller.enqueue(1) }).getReader().releaseLock();`,
  `  await new WritableStream<string>({ write: (chunk) => void chunk.at(0) }).getWriter().write("x");`,
  `  new TransformStream<string, number>({ transform: (chunk, controller) => controller.enqueue(chunk.length) }).readable.locked;`,
  `  new CompressionStream("gzip").readable.tee().at(0); Uint8Array.fromBase64("").toHex().at(0); Error.isError(1);`,
  `  new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode("x"));`,
  `  context.signal.addEventListener("abort", (event) => event.preventDefault(), { once: true });`,
  `  AbortSignal.any([AbortSignal.timeout(1), new AbortController().signal]).throwIfAborted();`,
  `  if (new Error("x") instanceof Deno.errors.NotFound) throw new DOMException("x", "AbortError");`,
  `  (await Deno.permissions.query({ name: "read", path: "." })).state === "granted"; Deno.inspect(1, { depth: 2 });`,
  `  Deno.cwd().at(0); Deno.build.os.at(0); Deno.args.length; Deno.version.deno.at(0);`,
  `  context.log.info("a", 1); context.log.write("debug", "x"); context.progress({ done: 1 }); context.settings.depth.toFixed();`,
  `  args.limit.toFixed(); args.tags?.map((tag) => tag?.at(0)); args.mode === "fast"; context.settings.root?.at(0);`,
  `  const answer: SearchFilesOutput = { found: [{ line: 1 }] };`,
  `  if (args.path === "") return context.output({ output: answer, content: [{ type: "text", text: "x" }] }) satisfies ToolOutput<SearchFilesOutput>;`,
  `  context.output({ content: [{ type: "image", mimeType: "image/png", data: new Uint8Array(1) }, { type: "audio", mimeType: "a/b", data: "AA==" }] });`,
  `  if (args.path === "?") throw context.error("No such file", { path: args.path });`,
];

/** Permission sets, and the kinds of which they request anything. */
const SETS: readonly (readonly [permissions: Permissions, asked: readonly string[]])[] = [
  [{}, []],
  [{ read: ["$workspace"] }, ["read"]],
  [{ write: { allow: ["$data"], reason: "Keeps an index" } }, ["write"]],
  [{ read: true, write: true }, ["read", "write"]],
  [{ env: ["HOME"], read: { allow: [], deny: ["/"] }, write: false }, ["env"]],
  [{ env: [{ name: "KEY", secret: true, hosts: ["a.example"] }], read: true, write: true, net: true }, ["env", "read", "write"]],
];

describe("the types of a plugin, checked by tsc", () => {
  it.each(SETS)("contain the APIs that the manifest requests and no others: %j [M8.requested] [I7.types]", async (permissions, asked) => {
    const unasked = USES.filter(([, ...needs]) => !needs.every((need) => asked.includes(need))).map(([code]) => code);
    const found = await mistakes(permissions, [...FREE, ...USES.map(([code]) => code)]);
    expect([...found.keys()]).toEqual(unasked);
    for (const message of found.values())
      expect(message).toMatch(/^TS(2339|2551|2694|2724): (Property|Namespace|'.*' has no exported member)/u);
  });

  it("report an unrequested function as missing [M8.requested]", async () => {
    const found = await mistakes({ read: true }, [`  await Deno.writeTextFile(args.path, "x");`]);
    expect([...found.values()]).toEqual([
      "TS2551: Property 'writeTextFile' does not exist on type 'typeof Deno'. Did you mean 'readTextFile'?",
    ]);
  });

  it("contain no globals of Node, browsers or Deno beyond those of the sandbox [M8.globals]", async () => {
    const lines = [
      `  process.exit();`,
      `  document.title;`,
      `  Buffer.from("x");`,
      `  localStorage.length;`,
      `  Deno.serve(() => {});`,
      `  require("fs");`,
    ];
    expect([...(await mistakes({ read: true, write: true, net: true, run: true }, lines)).keys()]).toEqual(lines);
  });

  it("refuse arguments, settings and outputs that the schemas do not allow [M8.args] [M8.settings]", async () => {
    const lines = [
      `  args.pth;`,
      `  args.path.toFixed();`,
      `  args.mode === "quick";`,
      `  args.tags.length;`,
      `  args.path = "x";`,
      `  context.settings.width;`,
      `  const wrong: SearchFilesOutput = { found: [{ line: "1" }] };`,
      `  const none: SearchFilesOutput = {};`,
    ];
    expect([...(await mistakes({}, lines)).keys()]).toEqual(lines);
  });

  it("are valid, with everything requested [M8.valid]", async () => {
    const folder = await pluginFolder({ read: true, write: true, net: true, env: true, run: true }, {});
    const text = pluginTypes(manifestWith({ permissions: { read: true, write: true, env: true } })).get(GLOBALS_FILE) ?? "";
    expect(text).toContain("// @ts-nocheck");
    await writeFile(join(folder, GLOBALS_FILE), text.replace("// @ts-nocheck", "//"));
    expect(await runCommand("tsc", ["-p", folder, "--skipLibCheck", "false", "--pretty", "false"], { cwd: folder })).toEqual({
      code: 0,
      output: "",
    });
  });
});

describe("the same plugin in Deno", () => {
  const whole = `${HEAD}\n${[...FREE, ...USES.map(([code]) => code)].join("\n")}\n${TAIL}`;
  const test = `import { search_files } from "./main.ts";\nDeno.test("is a function", () => {\n  if (typeof search_files !== "function") throw new Error();\n});\n`;
  const quiet = { env: { NO_COLOR: "1" } };

  it("passes deno check with the generated files beside it, and runs under deno run and deno test [M8.deno-check] [M8.deno-run]", async () => {
    const folder = await pluginFolder({ read: true, write: true, env: true }, { "main.ts": whole, "main_test.ts": test });
    for (const args of [["check", "main.ts"], ["check"], ["run", "--check", "main.ts"], ["test"]]) {
      const { code, output } = await runCommand("deno", args, { cwd: folder, ...quiet });
      expect({ args, code, ...(code !== 0 && { output }) }).toEqual({ args, code: 0 });
    }
  });

  it("is limited to what it requests by deno check too if it has a deno.json, except for its tests [M8.deno-check]", async () => {
    const files = { "main.ts": whole, "main_test.ts": test, "deno.json": "{}" };
    const allowed = await pluginFolder({ read: true, write: true, env: true }, files);
    expect((await runCommand("deno", ["check", "main.ts", "main_test.ts"], { cwd: allowed, ...quiet })).code).toBe(0);
    const refused = await pluginFolder({ read: true, env: true }, files);
    const { code, output } = await runCommand("deno", ["check", "main.ts"], { cwd: refused, ...quiet });
    expect({ code, isSaid: output.includes("Property 'writeTextFile' does not exist on type 'typeof Deno'") }).toEqual({
      code: 1,
      isSaid: true,
    });
  });
});
