import variant from "@jitl/quickjs-wasmfile-release-sync";
import { describe, expect, it } from "vitest";
import { engineImports } from "../../../sandbox/engine/engine-imports.ts";
import { engineModule } from "../../support/in-thread.ts";

/** Returns the glue's own imports, with memory that a guest has filled freely. */
async function glueTable(): Promise<{ glue: Record<string, WebAssembly.ImportValue>; memory: WebAssembly.Memory }> {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: 256 });
  const table: Record<string, WebAssembly.ImportValue> = {};
  const unwrap = (value: unknown): unknown =>
    typeof value === "object" && value !== null && "default" in value ? unwrap(value.default) : value;
  const loaded: unknown = await (unwrap(variant) as { importModuleLoader(): Promise<unknown> }).importModuleLoader();
  await (unwrap(loaded) as (options: object) => Promise<unknown>)({
    wasmMemory: memory,
    instantiateWasm({ a = {} }: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      Object.assign(table, a);
      const instance = new WebAssembly.Instance(engineModule, { a });
      done(instance);
      return instance.exports;
    },
  });
  return { glue: table, memory };
}

function call(table: Readonly<Record<string, WebAssembly.ImportValue>>, name: string, ...args: number[]): unknown {
  const value = table[name];
  if (typeof value !== "function") throw new Error(`"${name}" is not a function`);
  return value(...args);
}

describe("attack: a guest that calls the engine's imports with forged arguments", () => {
  it("sets no timer, which would fire when another plugin has the instance [B5.imports]", async () => {
    const { glue } = await glueTable();
    const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    expect(call(engineImports(glue), "j", 3, 60_000)).toBe(0);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")).toHaveLength(before);
  });

  it("writes no output that accumulates in the host, whatever length it claims [B5.imports]", async () => {
    const { glue, memory } = await glueTable();
    const words = new Uint32Array(memory.buffer);
    words.set([64, 0xffff_ffff], 256);
    const before = words.slice();
    expect(call(engineImports(glue), "c", 1, 1024, 1, 2048)).toBe(52);
    expect(words).toEqual(before);
  });

  it("exits no program and changes nothing that outlives the call [B5.imports]", async () => {
    const { glue } = await glueTable();
    const code = process.exitCode;
    expect(() => call(engineImports(glue), "r", 7)).toThrow("The engine tried to exit its program");
    expect(process.exitCode).toBe(code);
    expect(call(engineImports(glue), "l")).toBeUndefined();
  });

  it("are only the known ones: another build is refused [B5.imports]", async () => {
    const { glue } = await glueTable();
    const { j: timer, ...others } = glue;
    expect(() => engineImports(others)).toThrow("Unknown engine imports: found 19");
    expect(() => engineImports({ ...others, j: () => 0 })).toThrow('"j" differs');
    expect(timer).toBeDefined();
  });
});
