import { describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const CATEGORIES = ["web", "data", "code", "math", "system", "archive", "llm", "gardening"];

function start(options: HostOptions = {}): Promise<Host> {
  const tools = CATEGORIES.map((category) => hostTool(`of_${category}`, { category }));
  return createHost({ platform: memoryPlatform(), builtins: false, tools, ...options });
}

async function callable(host: Host): Promise<readonly string[]> {
  const results = await host.callAll(CATEGORIES.map((category) => ({ tool: `of_${category}` })));
  return results.filter(({ ok }) => ok).map(({ tool }) => tool.slice("of_".length));
}

describe("categories", () => {
  it("include the specified ones and custom ones, and filter lists [R6.list]", async () => {
    await using host = await start();
    for (const category of CATEGORIES) expect(host.list({ category }).map(({ name }) => name)).toEqual([`of_${category}`]);
    expect(host.list({ category: "none" })).toEqual([]);
    expect(await callable(host)).toEqual(CATEGORIES);
    expect(() => host.register(hostTool("odd", { category: "Not a word" }))).toThrow("lower-case word");
  });

  it("can be named by rules, layers, groups and roles of policy [R6.policy] [P2.category] [P5.roles]", async () => {
    const rest = (...gone: string[]): string[] => CATEGORIES.filter((category) => !gone.includes(category));
    await using rules = await start({
      config: {
        policy: {
          rules: [
            { category: "gardening", allow: false },
            { category: "llm", allow: false },
          ],
        },
      },
    });
    expect(await callable(rules)).toEqual(rest("gardening", "llm"));
    await using layers = await start({
      config: { policy: { layers: [{ name: "house", level: "global", deny: ["category:archive", "group:math"] }] } },
    });
    expect(await callable(layers)).toEqual(rest("archive", "math"));
    await using only = await start({ config: { policy: { layers: [{ name: "only", level: "global", allow: ["category:gardening"] }] } } });
    expect(await callable(only)).toEqual(["gardening"]);
    await using roles = await start({ config: { roles: { guest: { allowedCategories: ["web", "gardening"] } } } });
    const results = await Promise.all(CATEGORIES.map((category) => roles.call(`of_${category}`, {}, { role: "guest" })));
    expect(results.flatMap(({ ok, tool }) => (ok ? [tool] : []))).toEqual(["of_web", "of_gardening"]);
  });
});
