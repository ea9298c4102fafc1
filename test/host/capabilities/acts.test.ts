import { describe, expect, it } from "vitest";
import { type Acts, createActs } from "../../../host/capabilities/mod.ts";
import { END_WITHIN_MS } from "../../../host/capabilities/acts.ts";
import { createHostExecutor } from "../../../host/routes/mod.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import { Shares } from "../../../sandbox/mod.ts";
import { executionOf, routeOptions } from "../../support/execution.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const platform = memoryPlatform();

function actsOf(plugin: string, fileLimiter: Shares, more: { readonly owner?: string; readonly signal?: AbortSignal } = {}): Acts {
  const { owner = plugin, signal = new AbortController().signal } = more;
  return createActs({ callId: plugin, plugin, owner, signal, clock: platform.clock, fileLimiter });
}

const read = (path: string): { readonly name: string; readonly args: { readonly path: string } } => ({
  name: "fs.readFile",
  args: { path },
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Number of these operations that have begun. */
async function begun(acts: Acts, count: number): Promise<{ readonly ends: (() => void)[]; dropped: number }> {
  const outcome = { ends: [] as (() => void)[], dropped: 0 };
  for (let index = 0; index < count; index++)
    void acts.begin(read(`${index}`)).then((end) => (end === undefined ? outcome.dropped++ : outcome.ends.push(end)));
  await turn();
  return outcome;
}

describe("createActs()", () => {
  it("begins as many file operations of a plugin as its share allows, and leaves the rest to others [LV3.files]", async () => {
    const lanes = new Shares(8);
    expect((await begun(actsOf("flood", lanes), 100)).ends).toHaveLength(4);
    expect((await begun(actsOf("other", lanes), 1)).ends).toHaveLength(1);
    const third = actsOf("third", lanes);
    expect(await third.begin({ name: "env.get", args: {} })).toBeTypeOf("function");
  });

  it("begins as many of one owner as its share allows, across plugins [LV3.files, LV3.token]", async () => {
    const lanes = new Shares(8);
    const counts: number[] = [];
    for (const plugin of ["a", "b", "c"]) counts.push((await begun(actsOf(plugin, lanes, { owner: "token" }), 10)).ends.length);
    expect(counts).toEqual([4, 2, 0]);
    expect((await begun(actsOf("d", lanes, { owner: "another" }), 10)).ends).toHaveLength(2);
  });

  it("drops waiting operations at the end, and waits for running ones [T3.end]", async () => {
    const acts = actsOf("flood", new Shares(8));
    const operations = await begun(acts, 10);
    let unfinished: readonly string[] | undefined;
    void acts.end().then((names) => (unfinished = names));
    await turn();
    expect([operations.dropped, operations.ends.length, unfinished]).toEqual([6, 4, undefined]);
    for (const end of operations.ends) end();
    await turn();
    expect(unfinished).toEqual([]);
    expect(await acts.begin(read("late"))).toBe(undefined);
  });

  it("names operations that still run after five seconds [T3.unfinished]", async () => {
    const acts = actsOf("slow", new Shares(8));
    const { ends } = await begun(acts, 2);
    ends[1]?.();
    const ending = acts.end();
    platform.advance(END_WITHIN_MS);
    expect(await ending).toEqual([`fs.readFile "0"`]);
  });

  it("drops waiting operations when the call is cancelled [T3.files]", async () => {
    const stop = new AbortController();
    const acts = actsOf("flood", new Shares(8), { signal: stop.signal });
    const operations = await begun(acts, 10);
    stop.abort();
    await turn();
    expect([operations.dropped, operations.ends.length, acts.signal.aborted]).toEqual([6, 4, true]);
  });
});

describe("the end of a host tool's call", () => {
  it("ends its operations: no file, event or progress follows [T3.end, T3.unfinished]", async () => {
    const own = memoryPlatform();
    const hung = Promise.withResolvers<void>();
    const late = Promise.withResolvers<string>();
    const writeBytes: typeof own.guarded.writeBytes = async (path, bytes, options) => {
      await hung.promise;
      await own.guarded.writeBytes(path, bytes, options);
    };
    const { events, ...options } = routeOptions({ ...own, guarded: { ...own.guarded, writeBytes } });
    const create = hostTool("tool", {}, async (_args, { workspace, progress }) => {
      const writing = workspace.write("begun", "1");
      const after = writing.then(() => {
        progress("late");
        return workspace.write("late", "2");
      });
      after.catch((error: unknown) => late.resolve(String(error)));
      return "done";
    });
    const tool = createRegistry({ newId: () => "id" }).register(create);
    const running = createHostExecutor(options)(executionOf({ tool }));
    await turn();
    own.advance(END_WITHIN_MS);
    expect(await running).toMatchObject({ ok: true, output: "done", filesModified: [], unfinished: [`workspace.write "begun"`] });
    const told = events.length;
    hung.resolve();
    expect(await late.promise).toBe("AbortError: The call was cancelled, or has ended");
    expect(events).toHaveLength(told);
    expect(await own.files.stat("/workspace/late")).toBe(undefined);
  });
});
