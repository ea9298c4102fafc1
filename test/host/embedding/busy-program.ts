/** A program whose host has started other programs, which never end by themselves; a file "begun" exists once they run. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHost, type HostOptions } from "../../../host/mod.ts";
import { createBundler } from "../../../host/platform/bundling/bundler.ts";

const [, , name = "", folder = ""] = process.argv;
const CONFIRM = { pattern: "*", confirm: "auto" };
/** Ignores every signal that it can, and has started another program. */
const DEAF = `trap '' HUP INT TERM PIPE; /bin/sleep 600 & while :; do /bin/sleep 0.05; done`;
/** Writes the file in the middle of its call, when the host's event loop is free. */
const NATIVE = `export function run(_args, context) {
  new Deno.Command("/bin/sleep", { args: ["600"] }).spawn();
  Deno.writeTextFileSync("begun", "1");
  for (;;);
}`;
const GUEST = `export function run() { Deno.writeTextFileSync("begun", "1"); for (;;); }`;

const CASES: Readonly<Record<string, { readonly options: HostOptions; readonly plugin?: string }>> = {
  "an MCP server": {
    options: { config: { mcpServers: { far: { command: "/bin/sh", args: ["-c", `echo 1 >begun; ${DEAF}`], cwd: folder } } } },
  },
  "a trusted plugin": { options: trusted("plain"), plugin: NATIVE },
  "a trusted plugin that is not confined": {
    options: trusted({ name: "plain", unconfined: true }),
    plugin: `export function run() {
  globalThis.process.getBuiltinModule("node:child_process").spawn("/bin/sleep", ["600"]);
  globalThis.process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(join(folder, "begun"))}, "1");
  for (;;);
}`,
  },
  "a program of a trusted plugin's call": {
    options: trusted("plain"),
    plugin: `export async function run() {
  const child = new Deno.Command("/bin/sh", { args: ["-c", ${JSON.stringify(DEAF)}] }).spawn();
  Deno.writeTextFileSync("begun", "1");
  await child.status;
}`,
  },
  "a process that runs guests": { options: { isolation: "process", config: { policy: { rules: [CONFIRM] } } }, plugin: GUEST },
};

/** Work of programs of the user, found by their names, and of one that is part of a package. */
const ACTS: Readonly<Record<string, { readonly program?: string; readonly act: () => Promise<unknown> }>> = {
  "git, which fetches a plugin": {
    program: "ssh",
    act: async () => await (await createHost({ workspace: folder, logger: silent() })).inspect("ssh://far.example/plugin.git"),
  },
  "deno, which looks for a package": { program: "deno", act: () => createBundler().denoGraph("jsr:@std/text", folder) },
  "esbuild, which makes a module": {
    act: () =>
      createBundler().pack({
        ...{ entry: 'import "./far.js";', files: new Map(), compilerOptions: {} },
        resolve() {
          begun();
          for (;;);
        },
      }),
  },
};

const { program, act } = ACTS[name] ?? {};
if (program !== undefined) {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", program), `#!/bin/sh\necho 1 >"${folder}/begun"\n${DEAF}\n`, { mode: 0o700 });
  process.env["PATH"] = `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`;
}
if (act !== undefined) process.stdout.write(JSON.stringify(await act()));

function begun(): void {
  writeFileSync(join(folder, "begun"), "1");
}

const { options, plugin } = CASES[name] ?? { options: {} };
if (plugin !== undefined) writePlugin(plugin);
const grants = { plain: { write: ["$workspace"], run: true } };
// The command waits for a server that does not answer.
const opening = createHost({
  ...{ workspace: folder, trust: "all", logger: silent(), ...(plugin !== undefined && { plugins: join(folder, "plugins"), grants }) },
  ...options,
});
const host = await opening;
const result = plugin === undefined ? undefined : await host.call("plain.run", {}, { timeoutMs: 300_000 });
if (result?.ok === false) process.stdout.write(JSON.stringify([result.error, host.plugins()]));

function trusted(one: string | { readonly name: string; readonly unconfined: true }): HostOptions {
  return { config: { trusted: [one], policy: { rules: [{ plugin: "plain", route: "host", confirm: "auto" }] } } };
}

function silent(): NonNullable<HostOptions["logger"]> {
  return { write: () => undefined, child: silent };
}

function writePlugin(code: string): void {
  const root = join(folder, "plugins", "plain");
  mkdirSync(root, { recursive: true });
  const tool = { name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["execute", "write"] };
  const permissions = { write: ["$workspace"], ...(code !== GUEST && { run: true }) };
  writeFileSync(
    join(root, "manifest.json"),
    JSON.stringify({ schemaVersion: "1.0", name: "plain", version: "1.0.0", description: "Is called", tools: [tool], permissions }),
  );
  writeFileSync(join(root, "main.ts"), `// ${folder}\n${code}\n`);
}
