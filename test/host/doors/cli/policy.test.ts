import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const TOOL = { description: "Does it", inputSchema: { type: "object" } };
const PLUGIN = {
  "plugins/demo/manifest.json": JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version: "1.0.0",
    description: "Is decided about",
    permissions: { read: ["$workspace"], net: [{ host: "a.example.com", methods: ["GET"] }] },
    tools: [
      { ...TOOL, name: "look", sideEffects: ["read"], category: "data" },
      { ...TOOL, name: "put", sideEffects: ["write"] },
      { ...TOOL, name: "get", sideEffects: ["network"] },
    ],
  }),
  "plugins/demo/main.ts": "export const look = () => 1;\nexport const put = () => 2;\nexport const get = () => 3;\n",
};
const POLICY = {
  policy: { rules: [{ tool: "demo.put", allow: false }], layers: [{ name: "guests", level: "role", role: "guest", deny: ["group:read"] }] },
};

describe("bascule policy", () => {
  it("check reports names that match nothing and so have no effect [P1.dead-names]", async () => {
    const wrong = {
      policy: {
        rules: [
          { tool: "demo.putt", allow: false },
          { plugin: "dem" },
          { category: "datas", allow: false },
          { pattern: "nothing.*" },
          { group: "math" },
        ],
        groups: { house: ["demo.look", "demo.gone"] },
        layers: [
          { name: "deny", level: "global", deny: ["demo.*", "shel", "category:web"] },
          // A server's tools exist only while it is connected.
          { name: "allow", level: "global", allow: ["demo.*", "demo.lok", "mcp.github.*", "mcp__github__issues"] },
        ],
      },
      confirmation: { perTool: { "demo.puts": "deny" }, trustedWorkspaceOverrides: { execute: "deny", look: "deny" } },
      roles: { guest: { allowedTools: ["demo.look", "demo.lookk"], forbiddenTools: ["demo.ptu"], allowedCategories: ["data", "dat"] } },
    };
    await using project = await createCliProject({ ...PLUGIN, "bascule.json": JSON.stringify(wrong) });
    const checked = await project.run(["policy", "check", "--json"]);
    const { problems } = JSON.parse(checked.out) as { readonly problems: readonly { readonly pointer: string; readonly fix: string }[] };
    expect([checked.code, problems.map(({ pointer }) => pointer)]).toEqual([
      1,
      [
        "/policy/rules/0/tool",
        "/policy/rules/1/plugin",
        "/policy/rules/2/category",
        "/policy/rules/3/pattern",
        "/policy/rules/4/group",
        "/policy/layers/0/deny/1",
        "/policy/layers/0/deny/2",
        "/policy/layers/1/allow/1",
        "/policy/groups/house/1",
        "/confirmation/perTool/demo.puts",
        "/roles/guest/allowedTools/1",
        "/roles/guest/forbiddenTools/0",
        "/roles/guest/allowedCategories/1",
      ],
    ]);
    expect(problems[0]?.fix).toBe('write "demo.put", or remove it');
    // Without `policy check`, other commands say it too.
    expect((await project.run(["list"])).out + (await project.run(["list"])).error).toContain('The tool "demo.putt" matches nothing');

    await project.write("bascule.json", JSON.stringify(POLICY));
    expect(await project.run(["policy", "check"])).toMatchObject({ code: 0, out: "No problems\n" });
  });

  it("test compares decisions with a file of expected ones, and sets the exit code [P6.cases]", async () => {
    await using project = await createCliProject({ ...PLUGIN, "bascule.json": JSON.stringify(POLICY) });
    const good = [
      { tool: "demo.look", expect: "allowed" },
      { tool: "demo.put", expect: "denied" },
      // A network tool limited to GET has the class read, and belongs to the group of that name.
      { tool: "demo.get", expect: "allowed" },
      { tool: "demo.get", role: "guest", expect: "denied" },
      { tool: "demo.look", role: "guest", expect: "denied" },
      { tool: "demo.get", noWeb: true, expect: "denied" },
      { tool: "demo.look", act: "read=README.md", expect: "prompt" },
      { tool: "demo.gone", expect: "tool_not_found" },
    ];
    await project.write("cases.json", JSON.stringify(good));
    expect(await project.run(["policy", "test", "cases.json"])).toMatchObject({ code: 0, out: "8 cases passed, 0 failed\n" });
    await project.write("cases.json", JSON.stringify([{ tool: "demo.put", expect: "asks" }]));
    expect(await project.run(["policy", "test", "cases.json"])).toMatchObject({
      code: 1,
      out: "failed 0 demo.put: denied, expected asks (rule: tool demo.put)\n0 cases passed, 1 failed\n",
    });
    for (const wrong of [{}, [1], [{ tool: "demo.put" }], [{ tool: "a", expect: "yes" }], [{ tool: "a", expect: "allowed", rolle: "x" }]]) {
      await project.write("cases.json", JSON.stringify(wrong));
      expect(await project.run(["policy", "test", "cases.json"])).toMatchObject({ code: 2 });
    }
  });

  it("diff lists the decisions that another file would change, for each role and task [P6.diff]", async () => {
    await using project = await createCliProject({ ...PLUGIN, "bascule.json": JSON.stringify(POLICY) });
    await project.write("same.json", JSON.stringify(POLICY));
    expect(await project.run(["policy", "diff", "same.json"])).toMatchObject({ code: 0, out: "No decision would change\n" });
    await project.write("next.json", JSON.stringify({ policy: { ...POLICY.policy, layers: [] } }));
    const { code, out } = await project.run(["policy", "diff", "next.json", "--json"]);
    const { changes } = JSON.parse(out) as {
      readonly changes: readonly { readonly tool: string; readonly role?: string; readonly changes: object }[];
    };
    expect([code, new Set(changes.map(({ role }) => role))]).toEqual([1, new Set(["guest"])]);
    expect(changes).toContainEqual({ tool: "demo.get", role: "guest", changes: { verdict: ["denied", "allowed"] } });
    expect(await project.run(["policy", "diff"])).toMatchObject({ code: 2 });
  });
});
