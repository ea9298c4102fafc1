import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostOptions } from "../../../../host/host/host-options.ts";
import { createHost, type Host, type JsonObject } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { Log } from "../../../../host/platform/platform.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { bundleFiles, bundleOf, launching, manifestOf, signed } from "../../../support/bundles.ts";
import { ADD, named } from "../../../support/mcp-project.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const SECONDS = { timeout: 60_000 };
const SILENT: Log = { write: () => {}, child: () => SILENT };

interface Project {
  readonly folder: string;
  readonly file: string;
  open(options?: HostOptions): Promise<Host>;
  put(bundle: Uint8Array): Promise<void>;
  json(name: string): Promise<JsonObject>;
}

async function bundleProject(config: JsonObject = {}): Promise<Project> {
  const folder = await temporaryFolder();
  const file = join(folder, "demo.mcpb");
  await writeFile(join(folder, "bascule.json"), JSON.stringify({ audit: { store: false }, ...config }, null, 4));
  return {
    folder,
    file,
    open: (options = {}) =>
      createHost({ platform: currentPlatform(), config: join(folder, "bascule.json"), logger: SILENT, plugins: [], ...options }),
    put: (bundle) => writeFile(file, bundle),
    json: async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as JsonObject,
  };
}

/** Inspects the bundle and installs it. */
async function add(host: Host, file: string, request: Parameters<Host["installBundle"]>[1] = {}): Promise<void> {
  const { digest } = await host.inspectBundle(file, request);
  await host.installBundle(digest, request);
}

const ASKING = {
  ...launching({
    command: "node",
    args: ["${__dirname}/server/index.mjs", "${__dirname}/script.json", "${user_config.folders}", "--level=${user_config.level}"],
    env: { API_KEY: "${user_config.key}", UNSET: "${user_config.nothing}", PLACE: "${HOME}${/}x", MODE: "${user_config.fast}" },
    platform_overrides: { win32: { command: "server/run.exe" } },
  }),
  user_config: {
    folders: { type: "directory", title: "Folders", description: "Where", multiple: true, required: true },
    level: { type: "number", title: "Level", description: "How much", default: 3, min: 1, max: 9 },
    key: { type: "string", title: "Key", description: "For the service", sensitive: true, required: true },
    nothing: { type: "string", title: "Nothing", description: "May be left out" },
    fast: { type: "boolean", title: "Fast", description: "Hurry", default: true },
  },
};

describe("an MCPB bundle", () => {
  it("is shown first, then stored, locked and offered as an MCP server [M10.mcpb]", SECONDS, async () => {
    const project = await bundleProject({ server: { port: 7070 } });
    await project.put(signed(bundleOf(manifestOf({ tools: [{ name: "add", description: "Adds" }], x_other: 1 }), [ADD, named("env")])));
    await using host = await project.open();
    const preview = await host.inspectBundle(project.file);
    expect(preview).toMatchObject({
      ...{ name: "Demo Tools", server: "demo-tools", version: "1.0.0", author: "A. Author", from: "demo.mcpb", files: 5, signed: true },
      launch: { command: { kind: "runtime", name: "node" }, args: ["${__dirname}/server/index.mjs", "${__dirname}/script.json"], env: {} },
      tools: [{ name: "add", description: "Adds" }],
      warnings: [expect.stringContaining('Unknown field "x_other"') as string],
    });
    // Nothing is written before the user agrees.
    expect((await readdir(project.folder)).toSorted()).toEqual(["bascule.json", "demo.mcpb"]);
    const installed = await host.installBundle(preview.digest);
    expect(installed).toEqual({ server: "demo-tools", version: "1.0.0", digest: preview.digest });

    expect(await host.call("mcp__demo-tools.add", { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: true, output: { sum: 3 } });
    expect(await host.call("mcp__demo-tools.add", { a: 1, b: 2 }, { confirm: () => Promise.resolve(false) })).toMatchObject({
      ok: false,
      error: { code: "user_denied" },
    });
    // The server sees nothing of the host's environment.
    expect((await host.call("mcp__demo-tools.env", {}, ALLOWED)).output).toBe("PATH");
    expect(await readFile(join(project.folder, "bascule.json"), "utf8")).toBe(
      `${JSON.stringify({ audit: { store: false }, server: { port: 7070 }, mcpServers: { "demo-tools": { bundle: preview.digest } } }, null, 4)}\n`,
    );
    expect(await project.json("bascule.lock")).toMatchObject({
      mcpServers: {
        "demo-tools": {
          bundle: { name: "Demo Tools", version: "1.0.0", digest: preview.digest, from: "demo.mcpb" },
          tools: [{ name: "add" }, { name: "env" }],
        },
      },
    });
  });

  it("behaves like any other server: policy, permission, restart, removal [M10.server]", SECONDS, async () => {
    const project = await bundleProject();
    await project.put(bundleOf(undefined, [ADD, named("die")]));
    {
      await using host = await project.open();
      await add(host, project.file, { server: "mine" });
    }
    await using host = await project.open();
    expect(host.list({ source: "mcp" }).map(({ qualifiedName, permissions, class: kind }) => [qualifiedName, permissions, kind])).toEqual([
      ["mcp__mine.add", { mcp: ["mine"] }, "execute"],
      ["mcp__mine.die", { mcp: ["mine"] }, "execute"],
    ]);
    const allowed = host.policy.addLayer("global", { name: "none", permissions: { mcp: [] } });
    expect(await host.call("mcp__mine.add", { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    allowed();
    expect(await host.call("mcp__mine.die", {}, ALLOWED)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    await expect.poll(() => host.mcpServers()[0]?.state, { timeout: 15_000, interval: 20 }).toBe("connected");
    expect((await host.call("mcp__mine.add", { a: 1, b: 2 }, ALLOWED)).ok).toBe(true);

    expect(await host.removeBundle("mine")).toBe(true);
    expect([host.mcpServers(), host.list({ source: "mcp" })]).toEqual([[], []]);
    expect(await readdir(join(project.folder, ".bascule", "bundles"))).toEqual([]);
    expect([await project.json("bascule.json"), await project.json("bascule.lock")]).toEqual([
      { audit: { store: false } },
      { lockVersion: 1, plugins: {} },
    ]);
    expect(await host.removeBundle("mine")).toBe(false);
  });

  it("gets its values: lists, defaults, folders, and secrets by name only [M10.config]", SECONDS, async () => {
    const project = await bundleProject({ secrets: { DEMO_KEY: { file: "key.txt" } } });
    await writeFile(join(project.folder, "key.txt"), "sk-very-secret\n");
    const echo = `${bundleFiles()["server/index.mjs"] ?? ""}\nTOOLS.seen = () => text(JSON.stringify([process.argv.slice(3), process.env]));`;
    await project.put(bundleOf(ASKING, [named("seen")], { "server/index.mjs": echo }));
    await using host = await project.open();
    const { digest } = await host.inspectBundle(project.file);
    const wrong = { folders: [], level: 12, key: "sk-plain", other: 1, fast: "yes" };
    await expect(host.installBundle(digest, { config: wrong })).rejects.toThrow(
      /"other" is unknown[^]*"folders" needs a value[^]*"level" is more than 9[^]*"key" is sensitive[^]*"fast" is neither/,
    );
    await host.installBundle(digest, { config: { folders: ["./docs", "/srv/a b"], key: { secret: "DEMO_KEY" } } });
    const seen = await host.call("mcp__demo-tools.seen", {}, ALLOWED);
    const [args, env] = JSON.parse(seen.output as string) as [string[], Record<string, string>];
    expect(args).toEqual([`${project.folder}/docs`, "/srv/a b", "--level=3"]);
    // The value reached the program, and was redacted in its result.
    expect(env).toMatchObject({ API_KEY: "[secret DEMO_KEY]", PLACE: `${currentPlatform().environment.home}/x`, MODE: "true" });
    expect(Object.keys(env)).not.toContain("UNSET");
    for (const name of ["bascule.json", "bascule.lock"])
      expect(await readFile(join(project.folder, name), "utf8")).not.toContain("sk-very-secret");
    expect((await project.json("bascule.json"))["mcpServers"]).toEqual({
      "demo-tools": { bundle: digest, config: { folders: ["./docs", "/srv/a b"], key: { secret: "DEMO_KEY" } } },
    });
  });

  it("is updated with its changes shown, keeps its values, and has its tools pinned again [M10.update]", SECONDS, async () => {
    const project = await bundleProject();
    const asking = { user_config: { level: { type: "number", title: "Level", description: "How much", required: true } } };
    await project.put(bundleOf(manifestOf(asking), [ADD]));
    await using host = await project.open();
    await add(host, project.file, { config: { level: 4 } });
    const newer = {
      ...launching({
        command: "node",
        args: ["${__dirname}/server/index.mjs", "${__dirname}/script.json"],
        env: { LEVEL: "${user_config.level}" },
      }),
      ...asking,
      version: "2.0.0",
    };
    await project.put(bundleOf(newer, [{ ...ADD, description: "Adds more" }, named("env")]));
    const preview = await host.inspectBundle(project.file);
    expect(preview.replaces).toMatchObject({ version: "1.0.0", changes: ["+ variable LEVEL=${user_config.level}"] });
    await host.installBundle(preview.digest);
    expect(host.mcpServers()).toMatchObject([{ state: "connected", refused: [] }]);
    expect((await host.call("mcp__demo-tools.env", {}, ALLOWED)).output).toBe("LEVEL PATH");
    expect(await readdir(join(project.folder, ".bascule", "bundles"))).toEqual([preview.digest]);
    // The same server name does not make it the same author's bundle.
    await project.put(bundleOf(manifestOf({ name: "demo tools" })));
    await expect(host.inspectBundle(project.file)).rejects.toThrow('is the bundle "Demo Tools", not "demo tools"');
  });

  it("starts only with the installed bytes, on every machine [H7.bundle]", SECONDS, async () => {
    const project = await bundleProject();
    await project.put(bundleOf(undefined, [ADD]));
    await (await project.open().then(async (host) => (await add(host, project.file), host))).close();
    const [digest = ""] = await readdir(join(project.folder, ".bascule", "bundles"));
    const folder = join(project.folder, ".bascule", "bundles", digest);
    const problem = async (options?: HostOptions): Promise<string> => {
      await using host = await project.open(options);
      return host.mcpServers()[0]?.problem ?? "";
    };
    const kept = await readFile(join(folder, "server/index.mjs"), "utf8");
    await writeFile(join(folder, "server/index.mjs"), `${kept}\n// one more line`);
    expect(await problem()).toContain("were modified");
    await writeFile(join(folder, "server/index.mjs"), kept);
    await writeFile(join(folder, "server/new.js"), "");
    expect(await problem()).toContain("were modified");
    await rm(join(folder, "server/new.js"));
    expect(await problem({ consent: { frozen: true } })).toBe("");
    // Another checkout has the lock but not the files.
    await rm(join(project.folder, ".bascule"), { recursive: true });
    expect(await problem()).toMatch(/^Bundle [0-9a-f]{12} is not installed/);
    // A line in bascule.json alone starts nothing else.
    const lock = await readFile(join(project.folder, "bascule.lock"), "utf8");
    await writeFile(join(project.folder, "bascule.lock"), lock.replaceAll(digest, "0".repeat(64)));
    expect(await problem()).toContain("another bundle");
    await writeFile(join(project.folder, "bascule.lock"), lock);
    await using host = await project.open();
    await add(host, project.file);
    expect((await host.call("mcp__demo-tools.add", { a: 1, b: 2 }, ALLOWED)).ok).toBe(true);
  });

  it("is installed from a folder too, and can start its own program [M10.folder] [M10.binary]", SECONDS, async () => {
    const project = await bundleProject();
    const folder = join(project.folder, "source");
    const program = `#!/bin/sh\nexec "${process.execPath.replaceAll('"', "")}" ${"Deno" in globalThis ? "run -A --quiet " : ""}"$1" "$2"\n`;
    const manifest = launching(
      { command: "${__dirname}/bin/run", args: ["${__dirname}/server/index.mjs", "${__dirname}/script.json"] },
      { type: "binary", entry_point: "bin/run" },
    );
    for (const [path, text] of Object.entries({ ...bundleFiles(manifest, [ADD]), "bin/run": program })) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    await using host = await project.open();
    await add(host, folder);
    expect(host.mcpServers()).toMatchObject([{ state: "connected", tools: ["mcp__demo-tools.add"] }]);
    await expect(host.inspect(folder)).rejects.toThrow("This is an MCP bundle");
  });
});

describe("host.installBundle() without a bascule.json", () => {
  it("offers the server until the host closes [M10.library]", async () => {
    const platform = memoryPlatform();
    platform.plant("/workspace/demo.mcpb", bundleOf());
    await using host = await createHost({ config: false, builtins: false, platform });
    await add(host, "/workspace/demo.mcpb");
    // The memory platform cannot start processes, so the server is listed but not connected.
    expect(host.mcpServers()).toMatchObject([{ name: "demo-tools", state: "waiting", problem: "the memory platform has no processes" }]);
    expect(await host.removeBundle("demo-tools")).toBe(true);
    expect(host.mcpServers()).toEqual([]);
    await expect(host.installBundle("0".repeat(64))).rejects.toThrow("Inspect the bundle again");
  });
});
