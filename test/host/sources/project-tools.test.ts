import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LOOK = { name: "look", description: "Looks", inputSchema: { type: "object" }, sideEffects: ["read"], module: "tools/look.ts" };
const FAR = {
  name: "far",
  description: "Far away",
  inputSchema: { type: "object" },
  sideEffects: ["network"],
  remote: { url: "https://example.org" },
};

interface Project {
  readonly root: string;
  readonly host: Host;
  readonly log: readonly { readonly message: string }[];
  write(config: object | string): Promise<void>;
}

async function project(config: object): Promise<Project> {
  const root = await temporaryFolder();
  const { log, recorded } = memoryPlatform();
  await mkdir(`${root}/tools`);
  await writeFile(
    `${root}/tools/look.ts`,
    'import { word } from "./word.ts";\nexport const look = async (args: object) => ({ args, word, text: await Deno.readTextFile("README.md") });',
  );
  await writeFile(`${root}/tools/word.ts`, 'export const word = "first";');
  await writeFile(`${root}/README.md`, "read me");
  const write = async (next: object | string): Promise<void> =>
    await writeFile(
      `${root}/bascule.json`,
      typeof next === "string" ? next : JSON.stringify({ plugins: [], audit: { store: false }, ...next }),
    );
  await write(config);
  const host = await createHost({ config: `${root}/bascule.json`, workspace: root, logger: log });
  return { root, host, write, log: recorded.log };
}

describe("tools of bascule.json", () => {
  it("run exports of the project's modules natively if the file trusts them, and follow changes of both files [R10]", async () => {
    const { root, host, write, log } = await project({ tools: [LOOK, FAR], trusted: ["look"] });
    await using _closing = host;
    expect(host.list().filter(({ name }) => name === "look" || name === "far")).toMatchObject([
      { qualifiedName: "far", source: "remote", route: "remote" },
      { qualifiedName: "look", source: "function", route: "host", confinement: "deno" },
    ]);
    expect(await host.call("look", { a: 1 })).toMatchObject({
      ok: true,
      tool: "look",
      route: "host",
      output: { args: { a: 1 }, word: "first", text: "read me" },
    });

    await writeFile(`${root}/tools/word.ts`, 'export const word = "second";');
    await host.reload();
    expect(await host.call("look")).toMatchObject({ ok: true, output: { word: "second" } });

    await write({ tools: [FAR], trusted: ["look"] });
    await host.reload();
    expect(await host.call("look")).toMatchObject({ ok: false, error: { code: "tool_not_found" } });

    await write({ tools: [LOOK], trusted: ["look"] });
    await host.reload();
    // A bad edit changes nothing.
    await write('{ "tools": [{ "name": "look" }] }');
    await host.reload();
    expect(log.some(({ message }) => message.includes("the last good one stays in force"))).toBe(true);
    expect(host.list().map(({ name }) => name)).toContain("look");
  });

  it("are unavailable if they are not trusted or their module is missing, with the reason [R10, R4]", async () => {
    const { host } = await project({ tools: [LOOK, { ...LOOK, name: "gone", module: "tools/gone.ts" }, FAR], trusted: ["gone"] });
    await using _closing = host;
    const reason = async (name: string): Promise<unknown> =>
      (await host.call(name)).ok || host.list().find((tool) => tool.name === name)?.reason;
    expect(await reason("look")).toBe(
      'it runs a module of the project natively, and "trusted" of bascule.json does not list "look" (add it)',
    );
    expect(await reason("gone")).toBe('its module "tools/gone.ts" is not a file of the project');
    expect(host.definitionsFor().map(({ name }) => name)).not.toContain("look");
  });

  it("do not replace built-ins or the program's own tools, and find no sandbox on a rule's wasm route [R10, R7, O2]", async () => {
    const { host } = await project({
      tools: [{ ...LOOK, name: "echo" }, LOOK],
      trusted: ["echo", "look"],
      policy: { rules: [{ tool: "look", route: "wasm" }] },
    });
    await using _closing = host;
    expect(await host.call("echo", { text: "hello" })).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("built-in") },
    });
    expect(await host.call("look")).toMatchObject({ ok: false, error: { code: "unavailable" } });
  });

  it("are written only by the user: no plugin may change a module that runs natively [R10, C4.protected]", async () => {
    const { root, host } = await project({ tools: [LOOK], trusted: ["look"] });
    await using _closing = host;
    await mkdir(`${root}/p/words`, { recursive: true });
    await writeFile(
      `${root}/p/words/manifest.json`,
      JSON.stringify({
        schemaVersion: "1.0",
        name: "words",
        version: "1.0.0",
        description: "W",
        permissions: { write: ["$workspace"] },
        tools: [{ ...LOOK, name: "edit", sideEffects: ["write"], module: "main.ts" }],
      }),
    );
    await writeFile(
      `${root}/p/words/main.ts`,
      'export const edit = (_args: object, { workspace }: any) => workspace.write("tools/word.ts", "evil");',
    );
    await using other = await createHost({
      config: `${root}/bascule.json`,
      workspace: root,
      plugins: `${root}/p`,
      grants: { words: { write: ["$workspace"] } },
      policy: { default: { confirm: "auto" } },
      logger: memoryPlatform().log,
    });
    expect(await other.call("edit")).toMatchObject({ ok: false, error: { message: expect.stringContaining("plugin sources") } });
  });
});
