import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { createLogTail } from "../../../../host/audit/log-tail.ts";
import { httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";

const FOLDER = "/workspace/plugins/pages";
const manifest = (version: string, permissions: object = {}): string =>
  JSON.stringify(
    {
      ...{ schemaVersion: "1.0", name: "pages", version, description: "Pages", permissions },
      tools: [{ name: "show", description: "Shows", inputSchema: { type: "object" }, sideEffects: [] }],
    },
    undefined,
    2,
  );
const CODE = 'export const show = () => {\n  console.warn("plugin page", "<b>1</b>");\n  return "sources one";\n};\n';

async function open(): Promise<HttpDoorUnderTest> {
  const platform = memoryPlatformWithWorkers({
    "bascule.json": "{}",
    "plugins/pages/manifest.json": manifest("1.0.0"),
    "plugins/pages/main.ts": CODE,
    "plugins/pages/data.bin": new Uint8Array([0, 255, 1]),
    "plugins/pages/long.txt": `${"é".repeat(200_000)}`,
    ".bascule/settings/pages.json": "{}",
    "secret.txt": "outside",
  });
  return await httpDoor({ platform, plugins: "plugins", config: "/workspace/bascule.json" });
}

const get = async (door: HttpDoorUnderTest, path: string): Promise<{ readonly status: number; readonly body: JsonObject }> =>
  await door.ask(`/v1/plugins/pages${path}`, { token: TOKENS.admin });

describe("the files of a plugin over HTTP", () => {
  it("are those that its hash covers: text, or only a size [I4.sources, I5.sources]", async () => {
    await using door = await open();
    const { status, body } = await get(door, "/files");
    const files = [
      ["manifest.json", manifest("1.0.0").length],
      ["data.bin", 3],
      ["long.txt", 400_000],
      ["main.ts", CODE.length],
    ] as const;
    expect([status, body["files"]]).toEqual([200, files.map(([path, bytes]) => ({ path, bytes }))]);
    expect((await get(door, "/file?path=main.ts")).body).toEqual({ path: "main.ts", bytes: CODE.length, text: CODE });
    expect((await get(door, "/file?path=data.bin")).body).toEqual({ path: "data.bin", bytes: 3 });
    const { body: long } = await get(door, "/file?path=long.txt");
    expect([long["bytes"], textOf(long, "text")]).toEqual([400_000, "é".repeat(128 * 1024)]);
  });

  it("are not found outside of the folder by any spelling of a path [I4.sources, I5.sources]", async () => {
    await using door = await open();
    door.platform.plant(`${FOLDER}/out.txt`, { link: "/workspace/secret.txt" });
    await door.host.reload();
    const paths = [
      "../../secret.txt",
      "/workspace/secret.txt",
      "out.txt",
      "./main.ts",
      "../pages/main.ts",
      "../../.bascule/settings/pages.json",
      "",
    ];
    for (const path of paths) {
      const { status, body } = await get(door, `/file?path=${encodeURIComponent(path)}`);
      expect([path, status, body["text"]]).toEqual([path, path === "" ? 400 : 404, undefined]);
    }
    for (const name of ["..", "none", "pages%2f..%2f..", "..%2f.."]) {
      const { status } = await door.request(`/v1/plugins/${name}/files`, { token: TOKENS.admin });
      expect([name, status]).toEqual([name, 404]);
    }
    expect((await get(door, `/files?digest=${"0".repeat(64)}`)).status).toBe(404);
  });

  it("can be compared with those of the version that waits, and of the one before [I4.versions, I5.versions]", async () => {
    await using door = await open();
    const [first] = (await get(door, "/versions")).body["versions"] as readonly JsonObject[];
    expect(first).toEqual({ digest: first?.["digest"], version: "1.0.0", state: "serving" });
    door.platform.advance(2_000);
    door.platform.plant(`${FOLDER}/manifest.json`, manifest("2.0.0", { net: ["api.example.com"] }));
    door.platform.plant(`${FOLDER}/main.ts`, CODE.replace("one", "two"));
    door.platform.plant(`${FOLDER}/more.ts`, "export {};\n");
    await door.host.reload();
    const versions = (await get(door, "/versions")).body["versions"] as readonly JsonObject[];
    expect(versions.map(({ version, state }) => [version, state])).toEqual([
      ["1.0.0", "serving"],
      ["2.0.0", "folder"],
    ]);
    const [from, to] = versions.map((version) => textOf(version, "digest"));
    const { body } = await get(door, `/diff?from=${from}&to=${to}`);
    const changes = body["changes"] as readonly JsonObject[];
    expect(changes.map(({ path, kind }) => [path, kind])).toEqual([
      ["manifest.json", "changed"],
      ["main.ts", "changed"],
      ["more.ts", "added"],
    ]);
    expect(textOf(changes[0], "diff")).toContain('+    "net": [');
    expect(textOf(changes[1], "diff")).toContain('-  return "sources one";\n+  return "sources two";\n');
    expect((await get(door, `/file?path=main.ts&digest=${to}`)).body["text"]).toBe(CODE.replace("one", "two"));
    await door.host.accept("pages", to ?? "");
    const now = (await get(door, "/versions")).body["versions"] as readonly JsonObject[];
    expect(now.map(({ version, state }) => [version, state])).toEqual([
      ["2.0.0", "serving"],
      ["1.0.0", "kept"],
    ]);
    expect((await get(door, `/file?path=main.ts&digest=${from}`)).body["text"]).toBe(CODE);
  });

  it("have a log: the plugin's own lines, marked as such [I4.log, I5.log]", async () => {
    await using door = await open();
    const { body: call } = await door.ask("/v1/calls", { body: { tool: "show" } });
    const { body } = await get(door, "/log");
    const own = (body["lines"] as readonly JsonObject[]).filter(({ isGuest }) => isGuest === true);
    expect(own).toEqual([
      {
        ...{ time: door.platform.clock.now(), level: "warn", isGuest: true, text: "plugin page <b>1</b>" },
        ...{ tool: "pages.show", callId: call["callId"] },
      },
    ]);
    expect((await door.ask("/v1/plugins/none/log", { token: TOKENS.admin })).body).toEqual({ lines: [] });
  });
});

describe("the tests of a plugin over HTTP", () => {
  it("run on a copy, and their last outcome is kept [I4.tests, I5.tests]", async () => {
    const test = 'Deno.test("adds", () => {});\nDeno.test("fails <b>", () => { throw new Error("sources test"); });\n';
    const platform = memoryPlatformWithWorkers({
      "plugins/pages/manifest.json": manifest("1.0.0"),
      "plugins/pages/main.ts": CODE,
      "plugins/pages/main_test.ts": test,
    });
    await using door = await httpDoor({ platform, plugins: "plugins" });
    expect((await get(door, "/tests")).body).toEqual({});
    const { status, body } = await door.ask("/v1/plugins/pages/tests", { token: TOKENS.admin, body: {} });
    expect([status, body["passed"], body["failed"], body["ignored"], body["isCut"]]).toEqual([200, 1, 1, 0, false]);
    expect(body["files"]).toMatchObject([
      {
        file: "main_test.ts",
        results: [
          { name: "adds", status: "ok" },
          { name: "fails <b>", status: "failed", error: { message: "Error: sources test" } },
        ],
      },
    ]);
    expect((await get(door, "/tests")).body).toEqual({ run: body });
    expect((await door.ask("/v1/plugins/none/tests", { token: TOKENS.admin, body: {} })).status).toBe(404);
  });
});

describe("createLogTail()", () => {
  const silent = { write: () => undefined, child: () => silent };

  it("is bounded in plugins, lines and characters, and forgets the plugin that wrote longest ago [I5.log]", () => {
    const { log, lines } = createLogTail(silent, () => 1);
    for (let plugin = 0; plugin < 65; plugin += 1) log.child({ plugin: `p${plugin}` }).write("info", "guest", { text: "x".repeat(2_000) });
    for (let nth = 0; nth < 300; nth += 1) log.write("info", "guest", { plugin: "p5", text: `${nth}` });
    expect([lines("p0"), lines("p1").length, lines("p1")[0]?.text.length]).toEqual([[], 1, 1_000]);
    expect([lines("p5").length, lines("p5")[0]?.text, lines("p5").at(-1)?.text]).toEqual([200, "100", "299"]);
  });

  // Deno has no garbage collection on request here.
  it.skipIf("Deno" in globalThis)("keeps nothing of the rest of a long line in memory [I5.log-memory]", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const heldBytes = (): number => {
      for (let round = 0; round < 4; round += 1) collect();
      return process.memoryUsage().heapUsed;
    };
    const { log, lines } = createLogTail(silent, () => 1);
    const before = heldBytes();
    for (let nth = 0; nth < 200; nth += 1) {
      const text = JSON.parse(`"${nth}${"x".repeat(256 * 1024)}"`) as string;
      log.write("info", "guest", { plugin: "p", text });
    }
    const grown = heldBytes() - before;
    expect(lines("p").map(({ text }) => text.length)).toEqual(Array.from({ length: 200 }, () => 1_000));
    // The lines themselves have 0.2 MB; all that was written, 52 MB.
    expect(grown).toBeLessThan(10 * 1024 * 1024);
  });

  it("has no text of a guest in the place of the host's own [I5.log]", () => {
    const { log, lines } = createLogTail(silent, () => 1);
    log.write("warn", "A listener threw", { plugin: "p" });
    log.write("info", "guest", { plugin: "p", text: "A listener threw" });
    expect(lines("p").map(({ text, isGuest }) => [text, isGuest])).toEqual([
      ["A listener threw", false],
      ["A listener threw", true],
    ]);
  });
});
