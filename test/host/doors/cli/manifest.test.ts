import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIME_FILE, RUNTIME_TEXT } from "../../../../host/plugins/types/tool-api.ts";
import { type CliProject, createCliProject } from "./run-cli.ts";

const HEAD = { schemaVersion: "1.0", name: "demo", version: "0.1.0", description: "Demo", toolsFrom: "code" };
const MANIFEST = `${JSON.stringify(HEAD, undefined, 2)}\n`;
const MAIN = `/** Says it */
export function say({ text }: { text: string }): { said: string } {
  return { said: text };
}
`;

function read(project: CliProject, file = "manifest.json"): Promise<string> {
  return readFile(join(project.folder, "plugins/demo", file), "utf8");
}

function projectWith(main: string, manifest = MANIFEST): Promise<CliProject> {
  return createCliProject({ "plugins/demo/manifest.json": manifest, "plugins/demo/main.ts": main });
}

/** Returns the tools of the written manifest. */
async function tools(project: CliProject): Promise<readonly unknown[]> {
  // The command wrote it.
  return (JSON.parse(await read(project)) as { tools: readonly unknown[] }).tools;
}

describe("bascule manifest", () => {
  it("shows what would change and writes nothing; --check exits with 1; --write writes it [AX1.cli] [I2.exit-codes]", async () => {
    await using project = await projectWith(MAIN);
    const shown = await project.run(["manifest"]);
    expect(shown).toMatchObject({ code: 0, error: "" });
    expect(shown.out).toContain('  +       "name": "say",\n');
    expect(shown.out).toContain("0 plugins in step, 1 to write, 0 with problems\n");
    expect(await read(project)).toBe(MANIFEST);
    expect(await project.run(["manifest", "--check"])).toMatchObject({ code: 1 });

    const written = await project.run(["manifest", "--write"]);
    expect(written.out).toContain("wrote manifest.json, bascule.d.ts, bascule-globals.d.ts\n");
    expect(await tools(project)).toEqual([
      {
        name: "say",
        description: "Says it",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
        outputSchema: { type: "object", properties: { said: { type: "string" } }, required: ["said"] },
        sideEffects: [],
      },
    ]);
    expect(await project.run(["manifest", "--check"])).toEqual({
      code: 0,
      error: "",
      out: "good demo  plugins/demo/manifest.json\n\n1 plugin in step, 0 to write, 0 with problems\n",
    });
    expect((await project.run(["call", "say", "text=hi", "--json"])).out).toContain('"said": "hi"');
  });

  it("keeps what the code does not declare, and never writes permissions [AX1.kept]", async () => {
    const tool = { name: "say", description: "Old", sideEffects: ["read"], permissions: { read: ["$workspace"] }, inputSchema: {} };
    const manifest = JSON.stringify({ ...HEAD, permissions: { read: ["$workspace"] }, tools: [tool] });
    await using project = await projectWith(MAIN, manifest);
    expect(await project.run(["manifest", "--write"])).toMatchObject({ code: 0 });
    expect(await tools(project)).toMatchObject([{ description: "Says it", sideEffects: ["read"], permissions: { read: ["$workspace"] } }]);
    await project.write(
      "plugins/demo/main.ts",
      `import { defineTool } from "./bascule.js";\nexport const say = defineTool({ description: "x", input: {}, permissions: { net: true }, run: () => 1 });`,
    );
    expect((await project.run(["manifest", "--write"])).out).toContain("main.ts:2:75 Permissions are not written from code");
  });

  it("names a plugin that has no marker and adds it, and refuses to guess without a name [AX1.opt-in]", async () => {
    const { toolsFrom: _marker, ...plain } = HEAD;
    await using project = await projectWith(MAIN, `${JSON.stringify({ ...plain, tools: [] }, undefined, 2)}\n`);
    expect(await project.run(["manifest"])).toMatchObject({ code: 3 });
    expect((await project.run(["manifest", "demo", "--write"])).out).toContain('+   "toolsFrom": "code",');
    expect(await project.run(["manifest", "--check"])).toMatchObject({ code: 0 });
  });

  it("shows the problem of a manifest that is not JSON, if its text asks for the code [AX1.cli]", async () => {
    await using project = await projectWith(MAIN, MANIFEST.replace("{", "{ // shapes"));
    const { code, out, error } = await project.run(["manifest"]);
    expect({ code, error }).toEqual({ code: 1, error: "" });
    expect(out).toContain("bad  demo  plugins/demo/manifest.json\n");
    expect(out).toContain("fix remove the comment: JSON has none\n");
    expect(out).toContain("0 plugins in step, 0 to write, 1 with problems\n");
  });

  it("reads the records of defineTool from the loaded module, with JSON Schema and Standard Schema [AX1.define-tool] [AX1.standard-schema]", async () => {
    await using project = await projectWith(`
import { defineTool } from "./bascule.js";
const schema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: { text: string }) => (value.text === "" ? { issues: [{ message: "Is empty", path: ["text"] }] } : { value: { text: value.text.trim() } }),
    jsonSchema: { input: () => ({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: { text: { type: "string" } } }) },
  },
};
/** Trims it */
export const trim = defineTool({ input: schema, sideEffects: [], run: ({ text }: { text: string }) => ({ trimmed: text }) });
export const plain = defineTool({ name: "plain-one", title: "Plain", description: "Plain", input: { type: "object", properties: {} }, run: () => "x" });
`);
    expect((await project.run(["manifest", "--write"])).out).toContain("wrote bascule.js, manifest.json, ");
    expect(await read(project, RUNTIME_FILE)).toBe(RUNTIME_TEXT);
    expect(await tools(project)).toEqual([
      { name: "trim", description: "Trims it", inputSchema: { type: "object", properties: { text: { type: "string" } } }, sideEffects: [] },
      {
        name: "plain-one",
        title: "Plain",
        description: "Plain",
        export: "plain",
        inputSchema: { type: "object", properties: {} },
        sideEffects: [],
      },
    ]);
    expect((await project.run(["call", "trim", "text=  hi "])).out).toContain('"trimmed": "hi"');
    expect((await project.run(["call", "trim", "text="])).error).toContain("Invalid arguments: /text Is empty");
  });

  it.each([
    ["zod", "update zod to 4.2 or later"],
    ["valibot", 'wrap it in toStandardJsonSchema( ) of "@valibot/to-json-schema"'],
    ["other", "write a JSON Schema, or use a library with Standard JSON Schema"],
  ])("says what to do with a schema of %s that offers no JSON Schema [AX1.standard-schema-missing]", async (vendor, fix) => {
    await using project = await projectWith(
      `import { defineTool } from "./bascule.js";\nconst schema = { "~standard": { vendor: "${vendor}" } };\n/** X */\nexport const x = defineTool({ input: schema, run: () => 1 });\n`,
    );
    const { code, out } = await project.run(["manifest"]);
    expect(code).toBe(1);
    expect(out).toContain(`error plugins/demo/main.ts:4:38 The schema of "${vendor}" offers no JSON Schema\n`);
    expect(out).toContain("  > 4 | export const x = defineTool({ input: schema, run: () => 1 });\n");
    expect(out).toContain(`fix ${fix}\n`);
  });

  it("never runs the code in the host, and gives it no permission while it is read [AX1.sandboxed]", async () => {
    await using project = await projectWith(`
import { defineTool } from "./bascule.js";
const seen = [typeof process, typeof require];
try { seen.push(Deno.readTextFileSync("/etc/hostname")); } catch (error) { seen.push((error as Error).name); }
export const x = defineTool({ description: seen.join(" "), input: {}, run: () => 1 });
while (seen[0] === "object") {}
`);
    const { code } = await project.run(["manifest", "--write"]);
    expect(code).toBe(0);
    expect(await tools(project)).toMatchObject([{ description: expect.stringMatching(/^undefined undefined \w+$/u) as string }]);
  });

  it("shows a problem of a schema in the code that declares it [AX1.frame]", async () => {
    await using project = await projectWith(`import { defineTool } from "./bascule.js";
/** X */
export const x = defineTool({
  input: {
    type: "object",
    properties: { a: { type: "strin" } },
  },
  run: () => 1,
});
/** Y @requires read nowhere */
export function y() {}
`);
    const { code, out } = await project.run(["manifest", "--write"]);
    expect(code).toBe(1);
    expect(out).toContain('error plugins/demo/main.ts:6:30 "type" is neither a type nor a list of different types\n');
    expect(out).toContain("  > 6 |     properties: { a: { type: ");
    expect(out).toContain('error plugins/demo/main.ts:11:8 "nowhere" is not an argument of the tool');
    expect(await read(project)).toBe(MANIFEST);
  });

  it("keeps manifests in step in dev, with one line on what changed [AX1.dev]", async () => {
    await using project = await projectWith(MAIN);
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("manifest demo  added say\n");
    await dev.waitFor("reloaded demo");
    await project.write("plugins/demo/main.ts", MAIN.replace("text: string", "text: string; times?: number"));
    await dev.waitFor("manifest demo  say: inputSchema\n");
    await project.write("plugins/demo/main.ts", MAIN.replace("text: string", "text: Date"));
    await dev.waitFor("JSON has no dates");
    expect(await read(project)).toContain("times");
  });

  it("leaves a manifest without the marker alone in dev [AX1.dev-opt-in]", async () => {
    const { toolsFrom: _marker, ...plain } = HEAD;
    const tool = {
      name: "say",
      description: "Old",
      sideEffects: [],
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    };
    const manifest = JSON.stringify({ ...plain, tools: [tool] });
    await using project = await projectWith(MAIN, manifest);
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    await project.write("plugins/demo/main.ts", MAIN.replace("Says it", "Says it loudly"));
    await dev.waitFor("reloaded demo");
    expect(await read(project)).toBe(manifest);
  });
});
