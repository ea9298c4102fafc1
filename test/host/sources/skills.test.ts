import { describe, expect, it } from "vitest";
import { createHost, SkillNotFound } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { chainHost } from "../../support/chain-host.ts";

const SKILL = {
  name: "shout",
  description: "Shouts",
  tools: ["echo"],
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
} as const;

describe("skills", () => {
  it("bound in code call their tools as steps of a chain, and no other tools [K5.code] [C9]", async () => {
    await using host = await createHost({ platform: memoryPlatform({ "a.txt": "abc" }) });
    host.skills.register(SKILL, async ({ text }: { text: string }, { tools }) => {
      const said = (await tools?.call("echo", { text })) as { text: string };
      const other = await tools?.call("read_file", { path: "a.txt" }).then(
        () => "read",
        (error: unknown) => (error instanceof Error ? error.message : ""),
      );
      return { said: said.text.toUpperCase(), other: other ?? null };
    });
    const result = await host.call("shout", { text: "hi" });
    expect(result).toMatchObject({
      ok: true,
      output: { said: "HI", other: 'Requires tools access to "read_file", which the builtin layer does not allow' },
    });
    expect(result.steps).toMatchObject([{ tool: "echo", index: 0, ok: true }]);
    expect(host.skills.list()).toMatchObject([{ name: "shout", source: "skill", class: "none", tags: ["source:skill"] }]);
    expect(host.skills.get("shout").id).toBe(host.skills.list()[0]?.id);
  });

  it("without a binding fail, and unknown ones are not found [K5.unbound] [K5.notFound]", async () => {
    await using host = await createHost({ platform: memoryPlatform() });
    host.skills.register(SKILL);
    expect(await host.call("shout")).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "Tool shout has no bound callable" },
    });
    expect(() => host.skills.get("shuot")).toThrow(new SkillNotFound("shuot", "shout"));
    // A tool is not a skill.
    expect(() => host.skills.get("echo")).toThrow(SkillNotFound);
    await using bare = await createHost({ platform: memoryPlatform(), registry: null });
    expect(bare.skills.list()).toEqual([]);
  });

  it("of a manifest run in the sandbox with the tools they name, if those are granted [K5.manifest] [M2.skills]", async () => {
    const plugin = {
      main: `export const count = ({ text }) => text.split(" ").length;
export const hidden = () => "never";
export async function report({ text }, { tools }) {
  const words = await tools.call("count", { text });
  const said = await tools.call("echo", { text: words + " words" });
  return said.text + await tools.call("words.hidden", {}).then(() => "!", ({ name }) => " " + name);
}`,
      tools: { count: {}, hidden: {} },
      granted: ["*"],
      manifest: {
        skills: [
          {
            name: "report",
            description: "Reports",
            tools: ["count", "echo"],
            inputSchema: { type: "object" },
            outputSchema: { type: "string" },
          },
        ],
      },
    };
    await using ungranted = await chainHost({ words: { ...plugin, granted: [] } });
    expect(ungranted.host.plugins()[0]?.requested).toEqual({ tools: ["words.count", "echo"] });
    expect(await ungranted.host.call("report", { text: "a b" })).toMatchObject({
      ok: false,
      error: { hint: { command: "bascule grant words --allow-tools=words.count" } },
    });
    await using made = await chainHost({ words: { ...plugin, granted: ["words.count", "words.hidden", "echo"] } });
    const result = await made.host.call("words.report", { text: "one two three" });
    expect(result).toMatchObject({
      ok: true,
      output: "3 words NotCapable",
      plugin: "words",
      steps: [{ tool: "words.count" }, { tool: "echo" }],
    });
    expect(made.host.skills.list()).toMatchObject([{ qualifiedName: "words.report", plugin: "words", source: "skill", route: "wasm" }]);
  });
});
