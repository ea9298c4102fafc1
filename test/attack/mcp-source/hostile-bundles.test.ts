import { describe, expect, it } from "vitest";
import { createHost, type JsonObject } from "../../../host/mod.ts";
import { bundleLines } from "../../../host/plugins/bundles/bundle-lines.ts";
import { openBundle } from "../../../host/plugins/bundles/open-bundle.ts";
import { bundleOf, launching, manifestOf, signed } from "../../support/bundles.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import type { MemoryPlatform } from "../../../host/platform/memory/memory.ts";

const FILE = "/workspace/evil.mcpb";

/** Returns the error of an inspection; "" if it would be shown. */
async function look(bundle: Uint8Array, platform: MemoryPlatform = memoryPlatform()): Promise<string> {
  platform.plant(FILE, bundle);
  await using host = await createHost({ config: false, builtins: false, platform });
  try {
    await host.inspectBundle(FILE);
    return "";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Overwrites a name in the zip file with another of the same length, in both places. */
function renamed(bundle: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bundle).toString("latin1").replaceAll(from, to);
  return new Uint8Array(Buffer.from(text, "latin1"));
}

const server = (config: JsonObject, more: JsonObject = {}): Uint8Array => bundleOf(launching({ command: "node", ...config }, more));

describe("a hostile bundle", () => {
  it("is refused completely for the paths of its files [M10.slip] [M10.names]", async () => {
    const good = bundleOf(undefined, [], { "aa/evil.js": "x", "evil/b.js": "x" });
    expect(await look(good)).toBe("");
    expect(await look(signed(good))).toBe("");
    const bad: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ["a path that leads out", renamed(good, "aa/evil.js", "../evil.js"), /leads out/],
      ["an absolute path", renamed(good, "aa/evil.js", "/aaevil.js"), /absolute path/],
      ["an invisible character", bundleOf(undefined, [], { "a\u202eb.js": "x" }), /invisible/],
      ["two names that are one", bundleOf(undefined, [], { "SERVER/index.mjs": "x" }), /are one (?:file|folder) on some systems/],
      ["a file that is a folder", bundleOf(undefined, [], { server: "x" }), /is a file and a folder/],
      ["no manifest", renamed(good, "manifest.json", "manifest.jsoN"), /manifest\.json not found at its root/],
      ["no zip file", new TextEncoder().encode("#!/bin/sh\n"), /not a zip file/],
      // Bytes after an invalid signature belong to no file.
      ["something behind it", Buffer.concat([good, Buffer.from("MCPB_SIG_V1\u0001\0\0\0MCPB_SIG_END")]), /Not a zip file, or damaged/],
    ];
    for (const [what, bundle, message] of bad) expect(await look(bundle), what).toMatch(message);
    const link = bundleOf(undefined, [], { link: "/etc/passwd" });
    // A file's kind is only in the directory, four bytes before its header's offset.
    const at = Buffer.from(link).lastIndexOf("link") - 46;
    link[at + 5] = 3;
    new DataView(link.buffer, link.byteOffset).setUint32(at + 38, 0o120777 * 65_536, true);
    expect(await look(link)).toMatch(/"link" is a link/);
  });

  it("is refused if it is a folder with links, which are not followed [M10.links]", async () => {
    const platform = memoryPlatform();
    platform.plant("/workspace/folder/manifest.json", JSON.stringify(manifestOf()));
    platform.plant("/workspace/folder/server/index.mjs", { link: "/etc/passwd" });
    await using host = await createHost({ config: false, builtins: false, platform });
    await expect(host.inspectBundle("/workspace/folder")).rejects.toThrow("neither a file nor a folder");
  });

  it("is refused for a manifest that is too large or ambiguous, with every problem at once [M10.manifest]", async () => {
    expect(await look(bundleOf(JSON.stringify(manifestOf({ long_description: "x".repeat(1_100_000) }))))).toMatch(
      /larger than 1048576 bytes/,
    );
    expect(await look(bundleOf('{"manifest_version":"0.3","__proto__":{"server":{}}}'))).toMatch(/__proto__/);
    expect(await look(bundleOf(`${"[".repeat(2_000)}${"]".repeat(2_000)}`))).toMatch(/nest|deep/i);
    const all = await look(
      bundleOf({
        ...launching(
          { command: "/bin/sh", args: [7, "${nothing}"], env: { PATH: "." }, cwd: "/" },
          { type: "python", entry_point: "../x.py" },
        ),
        ...{ manifest_version: "9", description: "Nice\u200b", name: "" },
        user_config: {
          key: { type: "secret", title: "K", description: "D" },
          level: { type: "number", title: "L", description: "D", default: "x" },
        },
      }),
    );
    const problems = [
      "manifest_version",
      "zero-width",
      '"name"',
      '"/bin/sh"',
      "Is not an argument",
      '"${nothing}"',
      '"PATH"',
      '"cwd"',
      "x.py",
    ];
    for (const part of [...problems, '"type" is not one of', "The default is not a number"]) expect(all, part).toContain(part);
  });

  it("starts only its runtime or its own file, in its own environment [M10.command] [M10.environment]", async () => {
    const commands = [
      "/bin/sh",
      "sh",
      "npx",
      "uvx",
      "python",
      "../run",
      "${__dirname}/../run",
      "${HOME}/run",
      "${__dirname}/not-there",
      "server\\index.mjs",
    ];
    for (const command of commands)
      expect(await look(server({ command })), command).toMatch(/neither the runtime of a node server nor a file of the bundle/);
    expect(await look(server({ command: "${user_config.x}" }))).toMatch(/neither the runtime/);
    for (const command of ["${__dirname}/server/index.mjs", "server/index.mjs", "./server/index.mjs", "${__dirname}${/}server/index.mjs"])
      expect(await look(server({ command })), command).toBe("");
    const loaders = [
      "OPENSSL_CONF",
      "PYTHONUSERBASE",
      "NODE_COMPILE_CACHE",
      "PATH",
      "Path",
      "NODE_OPTIONS",
      "LD_PRELOAD",
      "DYLD_INSERT_LIBRARIES",
      "BASH_ENV",
      "PYTHONSTARTUP",
      "PYTHONHOME",
    ];
    for (const name of loaders) expect(await look(server({ env: { [name]: "x" } })), name).toMatch(/would choose which programs run/);
    for (const value of ["/tmp", "${HOME}/lib", "${__dirname}/..", "${__dirname}:", "${user_config.x}"])
      expect(await look(server({ env: { PYTHONPATH: value } })), value).toMatch(/from outside the bundle/);
    expect(await look(server({ env: { PYTHONPATH: "${__dirname}/lib:${__dirname}", DEBUG: "1" } }))).toBe("");
    // The command for another system is not the one for this system.
    expect(await look(server({ platform_overrides: { win32: { command: "evil.exe" } } }))).toBe("");
    expect(await look(server({ platform_overrides: { linux: { command: "npx" } } }))).toMatch(/neither the runtime/);
    expect(await look(bundleOf(manifestOf({ compatibility: { platforms: ["darwin"] } })))).toMatch(/Supports darwin, but this is linux/);
    expect(await look(server({}, { type: "uv" }))).toMatch(/downloads its packages at start/);
  });

  it("is shown with the program that runs, whatever its name, and with the arguments that others can see [M10.shown]", async () => {
    const platform = memoryPlatform();
    const shown = async (command: string, more: JsonObject = {}): Promise<readonly string[]> => {
      const manifest = launching({ command, args: ["--key=${user_config.key}", "${user_config.place}"] }, { type: "python", ...more });
      const value = (sensitive: boolean): JsonObject => ({ type: "string", title: "T", description: "D", sensitive });
      const asking = { ...manifest, user_config: { key: value(true), place: value(false) } };
      platform.plant(FILE, bundleOf(asking, [], { python3: "#!/bin/sh\n", "node.exe": "" }));
      await using host = await createHost({ config: false, builtins: false, platform });
      const preview = await host.inspectBundle(FILE);
      return [bundleLines(preview).find((line) => line.startsWith("command: ")) ?? "", ...preview.warnings];
    };
    const args = "--key=${user_config.key} ${user_config.place}";
    const seen: unknown = expect.stringContaining('The sensitive value "key" becomes an argument');
    expect(await shown("python3")).toEqual([`command: python3 ${args}`, seen]);
    // Its own file with a runtime's name is shown neither as that runtime nor as unchanged from it.
    for (const command of ["./python3", "${__dirname}/python3"])
      expect(await shown(command)).toEqual([`command: \${__dirname}/python3 ${args}`, seen]);
  });

  it("is not kept, started or deleted through a link of a checkout [M10.links]", async () => {
    for (const link of ["/workspace/.bascule/bundles", undefined]) {
      const platform = memoryPlatform();
      platform.plant(FILE, bundleOf());
      platform.plant("/workspace/bascule.json", "{}");
      await using host = await createHost({ config: "/workspace/bascule.json", builtins: false, platform });
      const { digest } = await host.inspectBundle(FILE);
      platform.plant(`/workspace/shown/${digest}/manifest.json`, "mine");
      platform.plant(link ?? `/workspace/.bascule/bundles/${digest}`, {
        link: link === undefined ? `/workspace/shown/${digest}` : "/workspace/shown",
      });
      await expect(host.installBundle(digest)).rejects.toThrow("is a link, so no bundle is kept or started there");
      await platform.files.remove(link ?? `/workspace/.bascule/bundles/${digest}`);
      await host.installBundle(digest);
      const folder = link ?? `/workspace/.bascule/bundles/${digest}`;
      await platform.files.rename(folder, "/workspace/elsewhere");
      platform.plant(folder, { link: "/workspace/elsewhere" });
      await expect(openBundle(platform, { state: "/workspace/.bascule" }, digest)).rejects.toThrow("is a link");
      await expect(host.removeBundle("demo-tools")).rejects.toThrow("is a link");
      expect(await platform.files.stat("/workspace/elsewhere")).toBeDefined();
      expect(await platform.files.readText(`/workspace/shown/${digest}/manifest.json`)).toBe("mine");
    }
  });

  it("leaves a server of the user with its name alone, and two concurrent additions both stay [M10.remove]", async () => {
    const platform = memoryPlatform();
    platform.plant("/workspace/bascule.json", "{}");
    platform.plant("/workspace/a.mcpb", bundleOf(manifestOf({ name: "a" })));
    platform.plant("/workspace/b.mcpb", bundleOf(manifestOf({ name: "b" })));
    const { writeAtomic } = platform.files;
    // A slow disk: without a lock, the other one's earlier read would overwrite this.
    const files: typeof platform.files = {
      ...platform.files,
      async writeAtomic(path, ...rest) {
        if (path.endsWith("bascule.json")) await new Promise((resolve) => setTimeout(resolve, 20));
        await writeAtomic(path, ...rest);
      },
    };
    await using host = await createHost({ config: "/workspace/bascule.json", builtins: false, platform: { ...platform, files } });
    const digests = [(await host.inspectBundle("/workspace/a.mcpb")).digest, (await host.inspectBundle("/workspace/b.mcpb")).digest];
    await Promise.all(digests.map((digest) => host.installBundle(digest)));
    const listed = JSON.parse(await platform.files.readText("/workspace/bascule.json")) as { mcpServers: JsonObject };
    expect(Object.keys(listed.mcpServers)).toEqual(["a", "b"]);
    const mine = { mcpServers: { a: { command: "mine", enabled: false } } };
    platform.plant("/workspace/bascule.json", JSON.stringify(mine));
    await host.reload();
    expect(await host.removeBundle("a")).toBe(false);
    expect(JSON.parse(await platform.files.readText("/workspace/bascule.json"))).toEqual(mine);
  });

  it("cannot take a name in use [M10.clash]", async () => {
    const platform = memoryPlatform();
    platform.plant(FILE, bundleOf());
    platform.plant("/workspace/bascule.json", JSON.stringify({ mcpServers: { "demo-tools": { command: "x", enabled: false } } }));
    await using host = await createHost({ config: "/workspace/bascule.json", builtins: false, platform });
    await expect(host.inspectBundle(FILE)).rejects.toThrow("already exists and is not a bundle");
    for (const name of ["a__b", "__proto__", "a b", "x".repeat(41)])
      await expect(host.inspectBundle(FILE, { server: name }), name).rejects.toThrow("cannot name an MCP server");
    expect((await host.inspectBundle(FILE, { server: "other" })).server).toBe("other");
    // Nor through `install`.
    const { digest } = await host.inspectBundle(FILE, { server: "other" });
    await expect(host.installBundle(digest, { server: "demo-tools" })).rejects.toThrow("already exists and is not a bundle");
    expect(await host.removeBundle("demo-tools")).toBe(false);
    expect(await platform.files.stat("/workspace/.bascule/bundles")).toBeUndefined();
  });

  it("has nothing put into values that a person gave [M10.substitution]", async () => {
    const { fillBundle } = await import("../../../host/plugins/bundles/fill-bundle.ts");
    const manifest = {
      launch: {
        command: { kind: "runtime", name: "node" },
        args: ["--x=${user_config.text}", "${user_config.list}"],
        env: { X: "${user_config.list}" },
      },
      options: {
        text: { type: "string", title: "", description: "", required: false, multiple: false, sensitive: false },
        list: { type: "string", title: "", description: "", required: false, multiple: true, sensitive: false },
      },
    } as unknown as Parameters<typeof fillBundle>[0];
    const world = {
      directory: "/b",
      folders: {},
      separator: "/",
      root: "/r",
      runtime: (name: string) => [name] as const,
      secret: () => undefined,
    };
    expect(fillBundle(manifest, { text: "${__dirname}${user_config.list}$&", list: ["a"] }, world)).toEqual({
      ok: true,
      value: { command: "node", args: ["--x=${__dirname}${user_config.list}$&", "a"], env: { X: "a" } },
    });
    expect(fillBundle(manifest, {}, world)).toEqual({ ok: true, value: { command: "node", args: ["--x="], env: {} } });
    expect(fillBundle(manifest, { list: ["a", "b"] }, world)).toEqual({
      ok: false,
      problems: ['"list" has 2 values, but the bundle takes only one there'],
    });
  });
});
