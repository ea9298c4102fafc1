import { describe, expect, it } from "vitest";
import { createHost, ProjectConfigError } from "../../../host/mod.ts";
import { checkEnforced, withoutAliases } from "../../../host/policy/enforced.ts";
import { DEFAULT_PROJECT, type PolicyConfig, type ProjectConfig } from "../../../manifests/mod.ts";

const policy = (fields: Partial<PolicyConfig>): ProjectConfig => ({ ...DEFAULT_PROJECT, policy: { ...DEFAULT_PROJECT.policy, ...fields } });

describe("checkEnforced()", () => {
  it("refuses policy that would be read and then ignored [P1.enforced]", () => {
    const pointers = checkEnforced(
      policy({
        layers: [{ name: "l", level: "global", allow: ["a", "group:nope"], deny: ["group:mine", "group:never"] }],
        rules: [
          { group: "group:nope", allow: false },
          { group: "group:write", allow: false },
          { group: "mine", allow: false },
        ],
        groups: { mine: ["a"] },
      }),
    ).map(({ pointer }) => pointer);
    expect(pointers).toEqual(["/policy/rules/0/group", "/policy/layers/0/allow/1", "/policy/layers/0/deny/1"]);
    expect(checkEnforced(DEFAULT_PROJECT)).toEqual([]);
  });

  it("refuses to start a host with policy that it cannot enforce, from a file's text and from code [P1.enforced]", async () => {
    const layers = [{ level: "global", name: "x", deny: ["group:gone"] }];
    await expect(createHost({ config: { policy: { layers } } })).rejects.toThrow(ProjectConfigError);
    await expect(createHost({ config: false, policy: { layers } })).rejects.toThrow('Unknown group "group:gone"');
  });
});

describe("withoutAliases()", () => {
  it("resolves an alias of a built-in in rules to the built-in [G2.rules]", async () => {
    const project = withoutAliases(
      {
        roles: { guest: { allowedTools: ["Read"], forbiddenTools: ["Write"] } },
        policy: {
          ...DEFAULT_PROJECT.policy,
          layers: [{ name: "l", level: "global", deny: ["Write"] }],
          rules: [{ tool: "Read", allow: false }],
          groups: { g: ["Write"] },
        },
        confirmation: { ...DEFAULT_PROJECT.confirmation, perTool: { Echo: "deny" } },
      },
      { Read: "read_file", Write: "write_file", Echo: "echo" },
    );
    expect(project.roles).toEqual({ guest: { allowedTools: ["read_file"], forbiddenTools: ["write_file"] } });
    expect(project.policy.layers).toEqual([{ name: "l", level: "global", deny: ["write_file"] }]);
    expect(project.policy.rules).toEqual([{ tool: "read_file", allow: false }]);
    expect(project.policy.groups).toEqual({ g: ["write_file"] });
    expect(project.confirmation.perTool).toEqual({ echo: "deny" });
  });

  it("denies a built-in by any of its names [G2.rules]", async () => {
    await using host = await createHost({ config: { policy: { rules: [{ tool: "Read", allow: false }] } } });
    for (const tool of ["read_file", "Read"]) {
      expect(await host.call(tool, { path: "README.md" })).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    }
  });
});
