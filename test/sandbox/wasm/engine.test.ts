/** Compares the rewritten engine with the published one: same behaviour, same memory. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { learnFacts } from "../../../sandbox/engine/engine-facts.ts";
import { METERED_ENGINE } from "../../../sandbox/pool/engine-build.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { rewriteEngine } from "../../../sandbox/wasm/rewrite.ts";
import { baseImage, engineBytes, engineModule, loadInThread, meteredModule } from "../../support/in-thread.ts";

const PROGRAMS = new URL("../../attack/state/programs/", import.meta.url);
/** Programs that end differently: the build determines where memory or the native stack runs out. */
const BUILD_DEPENDENT: ReadonlySet<string> = new Set([
  "out-of-memory.js",
  "string-growth.js",
  "deep-recursion.js",
  "deep-json.js",
  "deep-regexp.js",
]);

/** Without the rejection hook, which the published engine lacks, so that memory can be compared byte by byte. */
const unhooked = new WebAssembly.Module(rewriteEngine(engineBytes, { ...METERED_ENGINE, exportTable: false }));

describe("rewriteEngine()", () => {
  it("returns the engine's own bytes if nothing is requested", () => {
    expect(Buffer.compare(rewriteEngine(engineBytes, { barrier: false, meter: false }), engineBytes)).toBe(0);
  });

  it("returns the same valid module each time", () => {
    const once = rewriteEngine(engineBytes, METERED_ENGINE);
    expect(WebAssembly.validate(once)).toBe(true);
    expect(Buffer.compare(once, rewriteEngine(engineBytes, METERED_ENGINE))).toBe(0);
  });

  it("keeps every export and import, in order", () => {
    const ours = (entry: { readonly module?: string; readonly name: string }): boolean =>
      entry.module === "bascule" || entry.name.startsWith("bascule:");
    expect(WebAssembly.Module.exports(meteredModule).filter((entry) => !ours(entry))).toEqual(WebAssembly.Module.exports(engineModule));
    expect(WebAssembly.Module.imports(meteredModule).filter((entry) => !ours(entry))).toEqual(WebAssembly.Module.imports(engineModule));
    expect(
      WebAssembly.Module.exports(meteredModule)
        .filter(ours)
        .map(({ name }) => name),
    ).toEqual(["bascule:fuel", "bascule:table", "bascule:shadow", "bascule:restore"]);
  });

  it("leaves the facts of the build unchanged", async () => {
    expect(await learnFacts(meteredModule)).toEqual(await learnFacts(engineModule));
  });

  it("makes a base image with the same bytes", async () => {
    const [plain, metered] = [await baseImage(engineModule), await baseImage(unhooked)];
    expect(metered.heapEnd).toBe(plain.heapEnd);
    expect(Buffer.compare(new Uint8Array(metered.bytes), new Uint8Array(plain.bytes))).toBe(0);
  });

  for (const name of readdirSync(PROGRAMS).filter((file) => file.endsWith(".js") && !BUILD_DEPENDENT.has(file))) {
    it(`runs ${name} with the same answers and the same memory`, async () => {
      const source = readFileSync(new URL(name, PROGRAMS), "utf8");
      const [plain, metered] = await Promise.all(
        [engineModule, unhooked].map((module) => loadInThread(source, plainCopy, { module, now: () => 0 })),
      );
      for (const step of ["probe", "plant", "probe"]) expect(attempt(() => metered?.call(step))).toBe(attempt(() => plain?.call(step)));
      expect(Buffer.compare(heapOf(metered?.instance), heapOf(plain?.instance))).toBe(0);
    });
  }
});

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

/** Static data and the heap up to the allocator's break. The stack below the pointer is dead. */
function heapOf(instance: Awaited<ReturnType<typeof loadInThread>>["instance"] | undefined): Buffer {
  if (instance === undefined) return Buffer.alloc(0);
  const { facts, bytes, words } = instance;
  const end = words[facts.breakAddress >> 2] ?? 0;
  return Buffer.concat([bytes.subarray(0, facts.dataEnd), bytes.subarray(facts.stackTop, Math.min(end, bytes.length))]);
}
