import { describe, expect, it } from "vitest";
import { createHost, loadFromYaml, ProjectConfigError } from "../../../host/mod.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const REGISTRY = `# Tools of the project
tools:
  - name: render
    description: Renders a scene
    inputSchema: { type: object, properties: { scene: { type: string } }, required: [scene] }
    sideEffects: [network]
    tags: [gpu]
    remote:
      url: https://gpu.example.com
  - name: local
    description: >-
      Looks at
      a file
    inputSchema:
      type: object
    sideEffects: []
    module: tools/local.ts
`;

/** Returns each problem with its place. */
async function problemsOf(text: string): Promise<unknown> {
  try {
    return await loadFromYaml(text);
  } catch (error) {
    if (!(error instanceof ProjectConfigError)) throw error;
    return error.problems.map(({ line, column, message }) => `${line ?? "-"}:${column ?? "-"} ${message}`);
  }
}

describe("loadFromYaml()", () => {
  it("declares the same tools as bascule.json [SR2.tools]", async () => {
    const config = await loadFromYaml(REGISTRY);
    expect(config).toEqual({
      tools: [
        {
          name: "render",
          description: "Renders a scene",
          inputSchema: { type: "object", properties: { scene: { type: "string" } }, required: ["scene"] },
          sideEffects: ["network"],
          tags: ["gpu"],
          remote: { url: "https://gpu.example.com" },
        },
        { name: "local", description: "Looks at a file", inputSchema: { type: "object" }, sideEffects: [], module: "tools/local.ts" },
      ],
    });
    const list = REGISTRY.replace("tools:\n", "");
    expect(await loadFromYaml(list)).toEqual(config);
    await using host = await createHost({ platform: memoryPlatform(), workspace: WORKSPACE, config, builtins: false });
    expect(host.list().map(({ name, source }) => [name, source])).toEqual([
      ["local", "function"],
      ["render", "remote"],
    ]);
  });

  it.each<readonly [what: string, text: string, problems: readonly string[]]>([
    [
      "invalid YAML",
      "tools:\n  - name: [",
      ["2:12 Invalid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]"],
    ],
    ["a duplicate key", "tools: []\ntools: []\n", ["2:1 Invalid YAML: Map keys must be unique"]],
    ["an alias", "tools:\n  - &a { name: x }\n  - *a\n", ["-:- Has an alias (*name)"]],
    ["something else", "plugins: []\n", ['-:- Expected a list of tools, or an object with only "tools"']],
    ["nothing", "", ['-:- Expected a list of tools, or an object with only "tools"']],
    ["an invalid tool", REGISTRY.replace("sideEffects: [network]", "sideEffects: [netwrk]"), [`6:19 Unknown value "netwrk"`]],
  ])("refuses %s, with its place [SR2.refused]", async (_what, text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });

  it.each<readonly [what: string, text: string, problems: readonly string[]]>([
    ["nested", "[".repeat(20_000), ["-:- Nested too deeply"]],
    ["nested in keys", "{a: ".repeat(50_000), ["-:- Nested too deeply"]],
    [
      "of another version's types",
      "%YAML 1.1\n---\ntools:\n  - name: yes\n    sideEffects: !!set {read}\n",
      ["5:18 Invalid YAML: Unresolved tag: tag:yaml.org,2002:set"],
    ],
    ["with a tag", "tools: !!omap [a: 1]\n", ["1:8 Invalid YAML: Unresolved tag: tag:yaml.org,2002:omap"]],
    [
      "wrong everywhere",
      "}\n".repeat(2_000),
      Array.from({ length: 50 }, (_, line) => `${line + 1}:1 Invalid YAML: Unexpected flow-map-end token in YAML document: "}"`),
    ],
  ])("reports few problems for a text that is %s [SR2.hostile]", async (_what, text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });

  it.each([
    ["nested", "[".repeat(100_000)],
    ["nested in blocks", Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["long", `tools: "${"x".repeat(300_000)}"`],
    ["of a prototype", "tools: [{ __proto__: { name: x } }]"],
  ])("refuses a hostile text, too %s [SR2.hostile]", async (_what, text) => {
    await expect(loadFromYaml(text)).rejects.toThrow(ProjectConfigError);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});
