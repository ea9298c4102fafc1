import { describe, expect, it } from "vitest";
import { type Frame, readCallStack } from "../../../sandbox/engine/call-stack.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { engineModule, loadInThread, meteredModule } from "../../support/in-thread.ts";

/** Each function calls `look`, which returns the engine's own stack and makes the host read the same stack. */
const MAIN = `
const look = () => { let own = ""; try { own = new Error("").stack; Deno.readTextFileSync("x"); } catch {} return own; };
function plain() { return look(); }
const arrow = () =>
  plain();
class Shape {
  #hidden() { return arrow(); }
  method() { return this.#hidden(); }
  get value() { return this.method(); }
  static make() { return new Shape().value; }
}
function* generated() { yield Shape.make(); }
const native = () => [1].map(() => [...generated()][0])[0];
async function later() { return native(); }
async function* laterOnes() { yield await later(); }
const žluť = (depth) => depth === 0 ? native() : žluť(depth - 1);
export function run() { return [1, 2].sort(() => 0) && žluť(3); }
export async function awaited() { let got = ""; later().then((stack) => { got = stack; }); await null; return got; }
export const streamed = async () => { for await (const one of laterOnes()) return one; };
export const deep = () => { const down = (left) => left === 0 ? native() : down(left - 1); return down(200); };
`;

function textOf({ name, file, line, column }: Frame): string {
  return file === "" ? `${name} (native)` : `${name === "" ? "<anonymous>" : name} (${file}:${line}:${column})`;
}

/** Returns the lines of the engine's stack, and the frames as read, without those of the prelude and of what it calls. */
async function stacksOf(name: string, module: WebAssembly.Module): Promise<readonly [own: readonly string[], read: readonly string[]]> {
  const plugin = await loadInThread(MAIN, module === meteredModule ? trackedRestore : plainCopy, { module });
  let frames: readonly Frame[] = [];
  const { hostCall } = plugin.host;
  Object.assign(plugin.host, {
    hostCall: (...words: Parameters<typeof hostCall>) => {
      if (words[0][1] === "fs.readFile") frames = plugin.instance.callStack();
      return hostCall(...words);
    },
  });
  const { o } = JSON.parse(plugin.call(name).slice(1)) as { readonly o: string };
  const own = o
    .trim()
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^at /, "")
        .replace(/^<anonymous> \(native\)$/, " (native)"),
    );
  const plugins = own.filter((line) => !line.includes("(bascule:"));
  const from = frames.findIndex(({ file }) => file.startsWith("file:"));
  const read = frames.slice(from).filter(({ file }) => !file.startsWith("bascule:"));
  // The two looks stand in different columns of the same line.
  return [plugins.slice(1), read.slice(1).map(textOf)];
}

describe("readCallStack()", () => {
  it.each([
    ["metered", meteredModule],
    ["published", engineModule],
  ] as const)("reads what the engine's own stacks say, on the %s engine [AX7.stack]", async (_name, module) => {
    for (const name of ["run", "awaited", "streamed"]) {
      const [own, read] = await stacksOf(name, module);
      expect(own.length).toBeGreaterThan(6);
      expect(read).toEqual(own);
    }
  });

  it("reads at most 64 frames [AX7.stack]", async () => {
    const [, read] = await stacksOf("deep", meteredModule);
    expect(read.length).toBeLessThanOrEqual(64);
  });

  it("reads nothing outside of a memory that the guest made inconsistent [AX7.hostile]", () => {
    const random = new Uint8Array(4_096);
    for (let round = 1; round < 200; round++) {
      for (let at = 0; at < random.length; at++) random[at] = (at * round * 2_654_435_761) >>> 13;
      expect(readCallStack(random, round * 16).length).toBeLessThanOrEqual(64);
    }
    // A frame whose predecessor is itself.
    const loop = new Uint8Array(4_096);
    new DataView(loop.buffer).setUint32(148, 512, true);
    new DataView(loop.buffer).setUint32(512, 512, true);
    expect(readCallStack(loop, 0)).toEqual([]);
  });
});
