import { describe, expect, it } from "vitest";
import { templateFiles, templateTool } from "../../../../host/doors/cli/template.ts";
import { parseManifest } from "../../../../manifests/mod.ts";

const OPTIONS = { plugin: "my-demo", program: "bascule", sample: "README.md", schema: "../../manifests/manifest.schema.json" };

describe("templateFiles()", () => {
  it("creates a manifest that loads without a warning [I7.init]", () => {
    const files = templateFiles(OPTIONS);
    const parsed = parseManifest(files.get("manifest.json") ?? "", { files: new Set(files.keys()) });
    expect(parsed).toMatchObject({
      ok: true,
      warnings: [],
      value: { name: "my-demo", tools: [{ name: "my_demo_peek", sideEffects: ["read"] }] },
    });
  });

  it("exports the tool that the manifest names, and contains cases for it [I7.init]", () => {
    const files = templateFiles(OPTIONS);
    expect(files.get("main.ts")).toContain(`export async function ${templateTool("my-demo")}(`);
    expect(JSON.parse(files.get("cases/peek.json") ?? "null")).toMatchObject([
      { tool: "my_demo_peek", expect: { ok: true } },
      { tool: "my_demo_peek", expect: { ok: false, error: { code: "fs_denied" } } },
    ]);
  });
});
