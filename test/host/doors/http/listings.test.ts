import { describe, expect, it } from "vitest";
import { createOperations } from "../../../../host/doors/host-operations.ts";
import { jsonOfList } from "../../../../host/doors/http/endpoint.ts";
import type { Slices } from "../../../../host/platform/platform.ts";
import { recordHostReads } from "../../../support/host-reads.ts";
import { httpDoor, TOKENS } from "../../../support/http-door.ts";

const COUNT = 100;
const AT_ONCE = 64 * 1024;
const NAMES = Array.from({ length: COUNT }, (_, nth) => `tool-${String(nth).padStart(3, "0")}`);
const description = "é".repeat(2_000);
const TOOLS = NAMES.map((name) => () => ({
  definition: { name, description, inputSchema: { type: "object" as const }, sideEffects: [] },
  execute: () => 1,
}));

/** Creates slices that count the pieces of work. */
function countedSlices(): { readonly slices: Slices; readonly pieces: () => number } {
  let pieces = 0;
  return {
    pieces: () => pieces,
    slices: {
      async run(work) {
        for (;;) {
          const next = work.next();
          pieces++;
          if (next.done === true) return next.value;
          await Promise.resolve();
        }
      },
    },
  };
}

describe("listings over HTTP", () => {
  it("have the same text, written in pieces of at most 64 KB [LV2.listings]", async () => {
    await using door = await httpDoor({ tools: TOOLS });
    const shown = async (path: string, token: string): Promise<{ readonly text: string; readonly longest: number }> => {
      using reads = recordHostReads();
      const response = await door.request(path, { token });
      const bytes = await response.arrayBuffer();
      const longest = reads.longest();
      return { text: new TextDecoder().decode(bytes), longest };
    };
    const tools = await shown("/v1/tools", TOKENS.call);
    const plugins = await shown("/v1/plugins", TOKENS.admin);
    type Shown = { readonly name: string; readonly description: string };
    const own = (all: readonly Shown[]): readonly Shown[] => all.filter(({ name }) => name.startsWith("tool-"));
    const listed = own((JSON.parse(tools.text) as { tools: readonly Shown[] }).tools);
    expect(listed.map((tool) => [tool.name, tool.description])).toEqual(NAMES.map((name) => [name, description]));
    const [builtin] = (JSON.parse(plugins.text) as { plugins: readonly { tools: readonly Shown[] }[] }).plugins;
    expect(own(builtin?.tools ?? [])).toEqual(listed);
    for (const { text, longest } of [tools, plugins]) {
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
      expect(text.length).toBeGreaterThan(3 * AT_ONCE);
      expect(longest).toBeLessThanOrEqual(AT_ONCE);
    }
  });

  it("are valid JSON with no item and with one item [LV2.listings]", async () => {
    const { slices } = countedSlices();
    const all = [[], [{ a: 1 }], [{ a: 1 }, { a: 2 }]];
    expect(await Promise.all(all.map(async (items) => await jsonOfList("all", items, (item) => item, slices).text()))).toEqual(
      all.map((items) => JSON.stringify({ all: items })),
    );
  });

  it("are made one tool at a time, and only as far as the client reads [LV1.listings]", async () => {
    const { slices, pieces } = countedSlices();
    let made = 0;
    function* items(): Generator<{ readonly text: string }, void> {
      for (; made < COUNT; made++) yield { text: "x".repeat(1_000) };
    }
    const reader = jsonOfList("all", items(), (item) => item, slices).body?.getReader();
    await reader?.read();
    // One piece of 64 KB, and the next one that the stream prefetches.
    expect([made < COUNT, pieces() >= made]).toEqual([true, true]);
    await reader?.cancel();
  });

  it("view plugins and their tools over many turns of the event loop [LV1.listings]", async () => {
    await using door = await httpDoor({ tools: TOOLS });
    const { slices, pieces } = countedSlices();
    const { host, platform } = door;
    const operations = createOperations({ host, files: platform.files, slices, session: host.session(), about: { version: "0", pid: 1 } });
    const [own] = await operations.list();
    expect([own?.tools.length === pieces() - 1, pieces() > COUNT]).toEqual([true, true]);
  });
});
