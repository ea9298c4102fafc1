import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { consentWorld, type ConsentEnvironment, LOCK } from "../../support/consent-world.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import { manifest, pluginFiles, states, tool } from "../../host/plugins/folder/harness.ts";
import "../../support/seed.ts";

/** Files of a plugin in a folder of its name. */
function plugin(name: string, tools: readonly string[], code = "export function run() {}", more: object = {}): Record<string, string> {
  return pluginFiles(name, code, { tools: tools.map((one) => tool(one)), ...more });
}

function holder({ registry }: ConsentEnvironment, name: string): string {
  const found = registry.snapshot().find(name);
  return found === undefined ? "-" : `${found.owner} ${found.binding.kind}`;
}

describe("a plugin that takes the names of others", () => {
  it.each([
    ["works", "export function run() {}", {}],
    ["is broken", "broken(", {}],
    ["is turned off", "export function run() {}", { enabled: false }],
  ])(
    "does not get the bare name of a loaded plugin, nor make it unavailable, if it %s, now or after a restart [R2.names]",
    async (_what, code, more) => {
      const environment = await consentWorld(plugin("zebra", ["summarize"]));
      await environment.edit(plugin("aardvark", ["summarize"], code, more));
      expect(holder(environment, "summarize")).toBe("zebra plugin");
      const again = await environment.restart();
      expect(holder(again, "summarize")).toBe("zebra plugin");
      // Without the lock, a restart would give the name to the first plugin in alphabetical order.
      expect((await again.restart()).registry.snapshot().find("summarize")?.owner).toBe("zebra");
    },
  );

  it("does not get the name through a new tool of an older plugin [R2.names]", async () => {
    const environment = await consentWorld(plugin("aardvark", ["other"]));
    await environment.edit(plugin("zebra", ["summarize"]));
    await environment.edit(plugin("aardvark", ["other", "summarize"], "two"));
    const digest = environment.status("aardvark")?.held?.digest ?? "";
    expect(await environment.acts.accept("aardvark", digest)).toMatchObject({ kind: "accepted" });
    expect([holder(environment, "summarize"), holder(await environment.restart(), "summarize")]).toEqual(["zebra plugin", "zebra plugin"]);
  });

  describe("does not get the calls", () => {
    const RUN = "export function run() {}";
    const BACK = plugin("zebra", ["summarize", "other"], RUN);
    const away = async (environment: ConsentEnvironment): Promise<void> => {
      await environment.platform.files.remove("/project/plugins/zebra");
      await environment.directory.reloadChanged();
    };

    /** Outcome for the plugin that owns the name, and the owner afterwards. */
    const CASES: readonly (readonly [what: string, act: (environment: ConsentEnvironment) => Promise<unknown>, then: string])[] = [
      ["is deleted by hand", away, "-"],
      ["is broken", (environment) => environment.edit(plugin("zebra", ["summarize"], "broken(")), "zebra plugin"],
      ["has an unreadable manifest", (environment) => environment.edit({ ...BACK, "zebra/manifest.json": "{" }), "zebra plugin"],
      ["is turned off", (environment) => environment.edit(plugin("zebra", ["summarize"], RUN, { enabled: false })), "zebra unavailable"],
      ["drops the tool", (environment) => environment.edit(plugin("zebra", ["other"], RUN)), "-"],
      ["waits", (environment) => environment.edit(plugin("zebra", ["summarize"], RUN, { description: "More" })), "zebra plugin"],
    ];

    it.each(CASES)("of one that %s, now, after restarts, and once it is back [R2.kept]", async (_what, act, then) => {
      const first = await consentWorld(BACK);
      await first.edit(plugin("aardvark", ["summarize"]));
      await first.consent.flush();
      await act(first);
      expect([holder(first, "summarize"), holder(first, "aardvark.summarize")]).toEqual([then, "aardvark plugin"]);
      const second = await first.restart();
      // A plugin that does not load at the start is not callable.
      expect(holder(second, "summarize")).not.toBe("aardvark plugin");
      const atStart = holder(second, "summarize");
      const third = await second.restart();
      expect([holder(third, "summarize"), holder(third, "aardvark.summarize")]).toEqual([atStart, "aardvark plugin"]);
      await third.edit(BACK);
      const { digest } = third.status("zebra")?.held ?? {};
      if (digest !== undefined) await third.acts.accept("zebra", digest);
      expect([holder(third, "summarize"), holder(await third.restart(), "summarize")]).toEqual(["zebra plugin", "zebra plugin"]);
    });

    it("of a plugin that was renamed in its folder, which keeps its names [R2.kept]", async () => {
      const environment = await consentWorld(BACK, { mode: "fluent" });
      await environment.edit(plugin("aardvark", ["summarize"]));
      await environment.consent.flush();
      await environment.edit({ ...BACK, "zebra/manifest.json": manifest("okapi", { tools: [tool("summarize")] }) });
      expect(holder(environment, "summarize")).toBe("okapi plugin");
      const again = await (await environment.restart()).restart();
      expect(holder(again, "summarize")).toBe("okapi plugin");
      // Removing the plugin frees its names.
      await again.acts.remove("okapi");
      expect(holder(again, "summarize")).toBe("aardvark plugin");
    });

    it("of one until the user removes it: then the name is free [R2.kept]", async () => {
      const environment = await consentWorld(BACK);
      await environment.edit(plugin("aardvark", ["summarize"]));
      await environment.consent.flush();
      await environment.edit(plugin("zebra", ["other"], RUN));
      await environment.acts.remove("zebra");
      expect([holder(environment, "summarize"), holder(await environment.restart(), "summarize")]).toEqual([
        "aardvark plugin",
        "aardvark plugin",
      ]);
    });

    it("of one whose lock is missing, while the host runs [R2.kept]", async () => {
      const environment = await consentWorld(BACK, { keep: false });
      await environment.edit(plugin("aardvark", ["summarize"]));
      await environment.edit(plugin("zebra", ["summarize"], "broken("));
      expect(holder(environment, "summarize")).toBe("zebra plugin");
    });

    it("unless the lock, written by an earlier version, gives it the name [R2.kept]", async () => {
      const environment = await consentWorld(BACK);
      await environment.edit(plugin("aardvark", ["summarize"]));
      await environment.consent.flush();
      await environment.directory.close();
      const text = await environment.platform.files.readText(LOCK);
      environment.platform.plant(LOCK, text.replace(/"yields": \[\s*"summarize"\s*\],/u, ""));
      await environment.platform.files.remove("/project/plugins/zebra");
      expect(holder(await environment.restart(), "summarize")).toBe("aardvark plugin");
    });

    it("of a new server, which gets the name even while a plugin keeps it [R2.kept]", async () => {
      const environment = await consentWorld(BACK);
      await environment.consent.flush();
      await environment.edit(plugin("zebra", ["other"], RUN));
      environment.registry.replaceOwner("mcp__s", publishedTools(pluginVersion("p", { tools: [{ name: "summarize" }] })));
      expect(holder(environment, "summarize")).toBe("mcp__s plugin");
    });
  });

  it("does not block a locked plugin by a similar name, and waits itself, now and after a restart [M5.look-alike]", async () => {
    const environment = await consentWorld(plugin("honest", ["go"]));
    const alike = { ...plugin("h0nest", ["other"]) };
    await environment.edit(alike);
    const held =
      'h0nest: quarantined: Not accepted yet: its name "h0nest" looks like "honest", the name of the plugin in "/project/plugins/honest" (rename it, or accept it with bascule accept)';
    expect(states(environment.directory.status())).toEqual([held, "honest: loaded"]);
    const again = await environment.restart();
    expect(states(again.directory.status())).toEqual([held, "honest: loaded"]);
    expect([holder(again, "go"), holder(again, "h0nest.other")]).toEqual(["honest plugin", "h0nest unavailable"]);
  });

  it("is shown completely if its name is similar, and is loaded beside the other once accepted [M5.accepted]", async () => {
    const environment = await consentWorld(plugin("honest", ["go"]));
    await environment.edit(plugin("h0nest", ["other"], "export function run() {}", { permissions: { net: ["api.example"] } }));
    const held = environment.status("h0nest")?.held;
    expect(held?.changes).toEqual([
      { kind: "clash", of: "plugin", name: "h0nest", other: "honest", whose: "/project/plugins/honest" },
      { kind: "permission", sign: "+", what: "net: api.example", widens: true },
      expect.objectContaining({ kind: "tool", tool: "other", change: "added" }),
      { kind: "field", field: "description", to: '"The h0nest plugin"' },
    ]);
    expect(await environment.acts.accept("h0nest", held?.digest ?? "")).toMatchObject({ kind: "accepted" });
    const again = await environment.restart();
    expect(states(again.directory.status())).toEqual(["h0nest: loaded", "honest: loaded"]);
    expect([holder(again, "go"), holder(again, "other")]).toEqual(["honest plugin", "h0nest plugin"]);
  });

  it("waits if its tool's name is similar to one of another plugin, of the program or of a server [M5.tool]", async () => {
    const environment = await consentWorld(plugin("texts", ["words"]));
    environment.registry.register(hostTool("letters"));
    await environment.edit({ ...plugin("a", ["w0rds"]), ...plugin("b", ["Ietters"]) });
    expect(states(environment.directory.status())).toEqual([
      'a: quarantined: Not accepted yet: its tool "w0rds" looks like "words", a tool of "/project/plugins/texts" (rename it, or accept it with bascule accept)',
      'b: quarantined: Not accepted yet: its tool "Ietters" looks like "letters", a tool of "$host" (rename it, or accept it with bascule accept)',
      "texts: loaded",
    ]);
    await environment.acts.accept("a", environment.status("a")?.held?.digest ?? "");
    expect([holder(environment, "words"), holder(environment, "w0rds")]).toEqual(["texts plugin", "a plugin"]);
  });

  it("waits if another folder has its name, and every plugin keeps its names, now and after a restart [M5.namesake]", async () => {
    const environment = await consentWorld(plugin("honest", ["go"]));
    await environment.edit({
      "0/manifest.json": manifest("honest", { tools: [tool("go", { description: "Evil" }), tool("more")] }),
      "0/main.ts": "",
    });
    const waits =
      '0: quarantined: /name: "honest" is the name of another plugin, in "/project/plugins/honest" (choose another name, or bascule accept gives it this one and the other plugin waits)';
    for (const next of [() => environment, () => environment.restart()]) {
      const one = await next();
      expect(states(one.directory.status())).toEqual([waits, "honest: loaded"]);
      expect([holder(one, "go"), holder(one, "more")]).toEqual(["honest plugin", "-"]);
      expect(one.registry.snapshot().find("go")?.definition.description).toBe("Runs go");
      expect(one.directory.status().find(({ folder }) => folder === "0")?.held?.changes).toEqual([
        { kind: "clash", of: "plugin", name: "honest", other: "honest", whose: "/project/plugins/honest" },
        expect.objectContaining({ kind: "tool", tool: "go", change: "added", description: "Evil" }),
        expect.objectContaining({ kind: "tool", tool: "more", change: "added" }),
        { kind: "field", field: "description", to: '"The honest plugin"' },
      ]);
    }
  });

  it("has the name once the user accepts exactly that version, without the other's grants; the other waits then, also after a restart [M5.namesake]", async () => {
    const environment = await consentWorld(plugin("honest", ["go"]));
    await environment.grants.grant("honest", "/project/plugins/honest", { env: ["HOME"] });
    await environment.edit({
      ...{ "0/manifest.json": manifest("honest", { tools: [tool("more")] }), "0/main.ts": "zero" },
      ...{ "1/manifest.json": manifest("honest", { tools: [tool("most")] }), "1/main.ts": "one" },
    });
    const digest = environment.directory.status().find(({ folder }) => folder === "1")?.held?.digest ?? "";
    expect(await environment.acts.accept("honest", digest)).toMatchObject({ kind: "accepted", plugin: "honest", digest });
    for (const next of [() => environment, () => environment.restart()]) {
      const one = await next();
      expect(one.directory.status().flatMap(({ folder, state }) => (state === "ignored" ? [] : [`${folder} ${state}`]))).toEqual([
        "0 quarantined",
        "1 loaded",
        "honest quarantined",
      ]);
      expect([holder(one, "more"), holder(one, "most"), holder(one, "go")]).toEqual(["-", "honest plugin", "-"]);
      expect(one.grants.list().map(({ directory }) => directory)).toEqual(["/project/plugins/honest"]);
    }
  });

  it.each(["mcp", "tool", "rncp", "too1"])("cannot be called %s [M5.reserved]", async (name) => {
    const environment = await consentWorld({ "p/manifest.json": manifest(name, { tools: [tool("files__add")] }), "p/main.ts": "" });
    expect(states(environment.directory.status())).toEqual([
      expect.stringContaining(`p: failed: /name (line 1, column 31): Plugin name "${name}" is reserved`),
    ]);
  });
});

const NAMES = ["alpha", "beta", "gamma", "a1pha"] as const;
const TOOLS = ["x", "y", "xl", "x1", "beta__x"] as const;
type Step =
  | { readonly kind: "plugin"; readonly name: string; readonly tools: readonly string[]; readonly broken: boolean }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "server" | "program"; readonly name: string; readonly tools: readonly string[] }
  | { readonly kind: "accept"; readonly name: string }
  | { readonly kind: "restart" };
const tools = fc.uniqueArray(fc.constantFrom(...TOOLS), { minLength: 1, maxLength: 3, selector: (name) => name.replace("1", "l") });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("plugin" as const), name: fc.constantFrom(...NAMES), tools, broken: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), name: fc.constantFrom(...NAMES) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("server" as const, "program" as const), name: fc.constantFrom("s", "t"), tools }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("accept" as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" as const }) },
);

async function take(environment: ConsentEnvironment, one: Step): Promise<ConsentEnvironment> {
  if (one.kind === "restart") return await environment.restart();
  if (one.kind === "plugin") await environment.edit(plugin(one.name, one.tools, one.broken ? "broken(" : "export function run() {}"));
  if (one.kind === "remove") {
    await environment.platform.files.remove(`/project/plugins/${one.name}`);
    await environment.directory.reloadChanged();
  }
  if (one.kind === "accept") {
    const { digest } = environment.status(one.name)?.held ?? {};
    if (digest !== undefined) await environment.acts.accept(one.name, digest);
  }
  if (one.kind === "server")
    environment.registry.replaceOwner(
      `mcp__${one.name}`,
      publishedTools(pluginVersion("p", { tools: one.tools.map((name) => ({ name })) })),
    );
  if (one.kind === "program") environment.registry.registerMany(one.tools.map((name) => hostTool(name)));
  return environment;
}

/** Returns the bare names of loaded plugins. */
function servingNames({ registry }: ConsentEnvironment): ReadonlyMap<string, string> {
  const now = registry.snapshot();
  return new Map(
    TOOLS.flatMap((name): readonly (readonly [string, string])[] => {
      const found = now.find(name);
      return found?.plugin !== undefined && !found.owner.startsWith("mcp__") && found.binding.kind === "plugin"
        ? [[name, found.owner]]
        : [];
    }),
  );
}

describe("names, in any order of arrival, with restarts in between", () => {
  it("each select one tool, and a loaded plugin keeps its name as long as it has the tool and no owner of higher rank takes it [R2.authority]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        let environment = await consentWorld({});
        for (const one of steps) {
          const before = servingNames(environment);
          environment = await take(environment, one);
          const now = environment.registry.snapshot();
          const exported = now.tools.map(({ id }) => now.exportName(id));
          expect(new Set(exported).size).toBe(now.tools.length);
          const above = now.tools.filter(({ owner }) => owner.startsWith("$") || owner.startsWith("mcp__")).map(({ name }) => name);
          for (const [name, owner] of before) {
            const own = now.find(`${owner}.${name}`);
            if (own?.binding.kind !== "plugin" || above.includes(name)) continue;
            // The tool of the same name was there before, in the lock or in this host, so its plugin gets the name back.
            const taker = now.find(name)?.owner;
            const isBack = one.kind === "plugin" && taker === one.name && environment.lock.entries().has(one.name);
            if (!isBack) expect([name, taker]).toEqual([name, owner]);
          }
        }
        await environment.directory.close();
      }),
      { numRuns: 150 },
    );
  });
});
