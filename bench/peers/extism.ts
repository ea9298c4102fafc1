/**
 * Extism: a plugin is a WebAssembly module in any language. JavaScript needs `extism-js`, which npm does not have, so the two
 * tools are also written in AssemblyScript and compiled here; neither has a JavaScript engine inside.
 */

import { importPackage, type Peer } from "./peer.ts";
import { EXTISM_SOURCE } from "./extism-plugin.ts";

/** The part of the packages that is used. */
interface Extism {
  readonly createPlugin: (module: WebAssembly.Module, options: { readonly useWasi: false }) => Promise<Plugin>;
}
interface Plugin {
  call(name: string, input: string): Promise<{ text(): string } | null>;
  reset(): Promise<boolean>;
  close(): Promise<void>;
}
interface Asc {
  readonly main: (
    args: readonly string[],
    options: {
      readonly readFile: (name: string) => string | null;
      readonly writeFile: (name: string, contents: Uint8Array) => void;
      readonly listFiles: () => readonly string[];
    },
  ) => Promise<{ readonly error: Error | null; readonly stderr: { toString(): string } }>;
}

export const extism: Peer = {
  id: "extism",
  name: "Extism, AssemblyScript inside",
  fresh: "plugin instance",
  gives: { boundary: "WebAssembly memory", limits: "none on the caller's thread", runs: "on the caller's thread, or a worker" },
  async start() {
    const { createPlugin } = await importPackage<Extism>("@extism/extism");
    const module = await compileAssembly(EXTISM_SOURCE);
    const open = (): Promise<Plugin> => createPlugin(module, { useWasi: false });
    const kept = await open();
    let calls = 0;
    return {
      async warm(tool, argsText) {
        if (++calls % RESET_EVERY === 0) await kept.reset();
        return await call(kept, tool, argsText);
      },
      async fresh(tool, argsText) {
        const plugin = await open();
        const answer = await call(plugin, tool, argsText);
        await plugin.close();
        return answer;
      },
      close: () => kept.close(),
    };
  },
};

/** Resets the plugin: memory that a call allocates is not reused before a reset, and after 32,768 blocks a plugin stops answering. */
const RESET_EVERY = 5_000;

async function call(plugin: Plugin, tool: string, argsText: string): Promise<string | undefined> {
  return (await plugin.call(tool, argsText))?.text();
}

async function compileAssembly(source: string): Promise<WebAssembly.Module> {
  const { main } = await importPackage<Asc>("assemblyscript/asc");
  let compiled: Uint8Array | undefined;
  const { error, stderr } = await main(
    ["main.ts", "--outFile", "main.wasm", "--optimize", "--runtime", "minimal", "--use", "abort=main/onAbort"],
    {
      readFile: (name) => (name === "main.ts" ? source : null),
      writeFile: (_name, contents) => (compiled = contents),
      listFiles: () => [],
    },
  );
  if (error !== null || compiled === undefined) throw new Error(`The AssemblyScript plugin does not compile: ${stderr.toString()}`);
  return new WebAssembly.Module(Uint8Array.from(compiled));
}
