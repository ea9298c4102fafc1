import { describe, expect, it } from "vitest";
import { type FakeAnswer, type Guest, startGuest } from "../engine.ts";

const encoder = new TextEncoder();

/** Answers every operation like a host. */
function host(operation: string, args: unknown): FakeAnswer {
  const { path } = args as { path?: string };
  if (path === "missing")
    return { error: { name: "NotFound", message: `No such file or directory (os error 2): '${path}'`, code: "ENOENT" } };
  if (path === "/etc/hosts") return { error: { name: "NotCapable", message: 'Requires read access to "/etc/hosts"' } };
  switch (operation) {
    case "fs.readFile":
      return { bytes: encoder.encode("h\u0000é\ufeff") };
    case "fs.stat":
    case "fs.lstat":
      return {
        value: {
          isFile: operation === "fs.stat",
          isDirectory: false,
          isSymlink: operation === "fs.lstat",
          size: 3,
          mtimeMs: 1000.5,
          atime: 2000,
          birthtime: null,
          mode: 420,
          dev: 1,
        },
      };
    case "fs.readDir":
      return {
        value: [
          { name: "a.txt", isFile: true, isDirectory: false, isSymlink: false },
          { name: "sub", isFile: false, isDirectory: true, isSymlink: false },
        ],
      };
    case "fs.realPath":
      return { value: "/ws/real" };
    case "fs.makeTempFile":
    case "fs.makeTempDir":
      return { value: "/tmp/made" };
    default:
      return {};
  }
}

async function guestOf(body: string, top = ""): Promise<Guest> {
  return await startGuest({ source: `${top}\nexport async function tool() { ${body} }`, answer: host });
}

async function run(body: string): Promise<{ output: unknown; crossings: Guest["crossings"] }> {
  const guest = await guestOf(body);
  const output = guest.output();
  const { crossings } = guest;
  guest.dispose();
  return { output, crossings };
}

/** Each call in both forms, and its operation. */
interface CallCase {
  readonly call: string;
  readonly operation: string;
  readonly args: unknown;
  readonly answer: unknown;
  readonly bytes?: readonly number[];
}

const CALLS: readonly CallCase[] = (
  [
    ["readTextFile('f')", "fs.readFile", { path: "f" }, "h\u0000é\ufeff"],
    ["mkdir('d')", "fs.mkdir", { path: "d" }, null],
    ["mkdir('d', { recursive: true, mode: 0o700 })", "fs.mkdir", { path: "d", recursive: true, mode: 448 }, null],
    ["remove('d', { recursive: true })", "fs.remove", { path: "d", recursive: true }, null],
    ["rename('a', 'b')", "fs.rename", { from: "a", to: "b" }, null],
    ["copyFile('a', new URL('file:///x%20y'))", "fs.copyFile", { from: "a", to: "/x y" }, null],
    ["realPath('a')", "fs.realPath", { path: "a" }, "/ws/real"],
    ["truncate('a')", "fs.truncate", { path: "a", len: 0 }, null],
    ["truncate('a', 7.9)", "fs.truncate", { path: "a", len: 7 }, null],
    ["truncate('a', -5)", "fs.truncate", { path: "a", len: 0 }, null],
    ["makeTempFile({ dir: 't', prefix: 'p', suffix: '.s' })", "fs.makeTempFile", { dir: "t", prefix: "p", suffix: ".s" }, "/tmp/made"],
    ["makeTempDir()", "fs.makeTempDir", {}, "/tmp/made"],
    [
      "writeTextFile('f', 'é\\0', { append: true, create: false, createNew: false, mode: 0o600 })",
      "fs.writeFile",
      { path: "f", append: true, create: false, createNew: false, mode: 384 },
      null,
      [195, 169, 0],
    ],
    ["writeTextFile('f', '')", "fs.writeFile", { path: "f" }, null, []],
    ["writeFile('f', new Uint8Array([1, 2, 3]).subarray(1))", "fs.writeFile", { path: "f" }, null, [2, 3]],
  ] satisfies [string, string, unknown, unknown, number[]?][]
).map(([call, operation, args, answer, bytes]) => ({ call, operation, args, answer, ...(bytes && { bytes }) }));

describe("Deno's file functions", () => {
  it.each(CALLS)(
    "Deno.$call sends its operation to the host, in both forms [PB1.files]",
    async ({ call, operation, args, answer, bytes }) => {
      const sync = call.replace("(", "Sync(");
      const { output: outputs, crossings } = await run(`return [await Deno.${call}, Deno.${sync}]`);
      expect(outputs).toEqual([answer, answer]);
      const sent = crossings.map((crossing) => ({
        ...crossing,
        ...(crossing.bytes && { bytes: [...crossing.bytes] }),
        id: crossing.id > 0 ? "async" : "sync",
      }));
      const expected = { operation, args, ...(bytes !== undefined && { bytes }) };
      expect(sent).toEqual([
        { id: "async", ...expected },
        { id: "sync", ...expected },
      ]);
    },
  );

  it("return bytes in a buffer of the program's own [PB1.files] [B5]", async () => {
    const { output } = await run(
      `const a = await Deno.readFile("f"), b = Deno.readFileSync("f"); a[0] = 1; return [a instanceof Uint8Array, [...b], a.buffer.byteLength]`,
    );
    expect(output).toEqual([true, [...encoder.encode("h\u0000é\ufeff")], 7]);
  });

  it("return file information like Deno's, with dates and nulls [PB1.files]", async () => {
    const { output } = await run(
      `const s = await Deno.stat("f"), l = Deno.lstatSync("f"); return [s, s.mtime instanceof Date, s.mtime.getTime(), l.isSymlink, Object.keys(s).length]`,
    );
    expect(output).toEqual([
      expect.objectContaining({
        isFile: true,
        isDirectory: false,
        size: 3,
        mtime: "1970-01-01T00:00:01.000Z",
        birthtime: null,
        ctime: null,
        mode: 420,
        dev: 1,
        ino: null,
        isSocket: null,
      }),
      true,
      1000,
      true,
      21,
    ]);
  });

  it("list folders lazily and at once [PB1.files]", async () => {
    const { output, crossings } = await run(`
      const names = []; const listing = Deno.readDir("d"); for await (const e of listing) names.push(e.name); for await (const e of listing) names.push(e.isDirectory);
      for (const e of Deno.readDirSync(new URL("file:///e"))) names.push(e.name); names.push(Deno.readDirSync("g").filter((e) => e.isFile).toArray().length);
      Deno.readDir("never asked");
      return names`);
    expect(output).toEqual(["a.txt", "sub", false, true, "a.txt", "sub", 1]);
    expect(crossings.map(({ args }) => (args as { path: string }).path)).toEqual(["d", "d", "/e", "g"]);
  });

  it("throw Deno's own errors with the program's stack [PB1.errors] [C10]", async () => {
    const { output } = await run(`
      const seen = [];
      try { Deno.readFileSync("missing") } catch (e) { seen.push([e instanceof Deno.errors.NotFound, e instanceof Error, e.name, e.message, e.code, Object.keys(e), e.stack]) }
      try { await Deno.readTextFile("/etc/hosts") } catch (e) { seen.push([e instanceof Deno.errors.NotCapable, e.name, e.message, "code" in e, e.stack.includes("main.js:5:")]) }
      return seen`);
    expect(output).toEqual([
      [true, true, "NotFound", "No such file or directory (os error 2): 'missing'", "ENOENT", ["code"], "    at tool (main.js:4:30)\n"],
      [true, "NotCapable", 'Requires read access to "/etc/hosts"', false, true],
    ]);
  });

  it("turn an error answer only into a known error [B5] [C10]", async () => {
    const names = ["TypeError", "RangeError", "AbortError", "Busy", "constructor", "__proto__", "SyntaxError", "Function"];
    const guest = await startGuest({
      source: `export function tool({ names }) { return names.map((name) => { try { Deno.mkdirSync(name) } catch (e) { return [e.name, e.constructor.name] } }) }`,
      answer: (_operation, args) => ({ error: { name: (args as { path: string }).path, message: "m" } }),
    });
    expect(guest.output({ args: { names } })).toEqual([
      ["TypeError", "TypeError"],
      ["RangeError", "RangeError"],
      ["AbortError", "DOMException"],
      ["Busy", "Busy"],
      ["Error", "Error"],
      ["Error", "Error"],
      ["SyntaxError", "DOMException"],
      ["Error", "Error"],
    ]);
    guest.dispose();
  });

  it("refuse paths that the boundary or the system would cut, before they are sent [B5] [C4]", async () => {
    const { output, crossings } = await run(`
      const seen = [];
      for (const path of ["a\\0b", "a\\ud800", 3, undefined, {}, new URL("http://h/x"), new URL("file://host/x"), new URL("file:///a%00b"), { href: "file:///x", protocol: "file:" }]) {
        for (const f of [Deno.readFileSync, Deno.mkdirSync, Deno.statSync]) try { f(path); seen.push("crossed") } catch (e) { seen.push(e.name) }
        try { await Deno.readTextFile(path); seen.push("crossed") } catch (e) { seen.push(e.name) }
        try { await Deno.rename("ok", path); seen.push("crossed") } catch (e) { seen.push(e.name) }
      }
      return [new Set(seen).size, seen[0], seen.length]`);
    expect(output).toEqual([1, "TypeError", 45]);
    expect(crossings).toEqual([]);
  });

  it("read file URLs like Deno, stray percent signs included [PB1.files]", async () => {
    const { crossings } = await run(
      `for (const u of ["file:///a%20b/%C3%A9", "file:///100%", "file:///%zz%41", "file:///$plugin/x"]) Deno.statSync(new URL(u))`,
    );
    expect(crossings.map(({ args }) => (args as { path: string }).path)).toEqual(["/a b/é", "/100%", "/%zzA", "/$plugin/x"]);
  });

  it("stop waiting when their signal aborts [PB1.files] [T3]", async () => {
    const guest = await startGuest({
      source: `export async function tool() {
        const seen = []; const c = new AbortController(); const p = Deno.readTextFile("slow", { signal: c.signal }); c.abort("enough");
        for (const q of [p, Deno.readFile("x", { signal: AbortSignal.abort(7) }), Deno.readFile("x", { signal: {} })]) try { await q } catch (e) { seen.push(e?.name ?? e) }
        return [...seen, await Deno.readTextFile("ok", { signal: new AbortController().signal })];
      }`,
      answer: (_operation, args) => ((args as { path: string }).path === "slow" ? { never: true } : { bytes: encoder.encode("text") }),
    });
    expect(guest.output()).toEqual(["enough", 7, "TypeError", "text"]);
    guest.dispose();
  });

  it("have Deno's names and lengths [PB1.files]", async () => {
    const { output } = await run(
      `return ["readFile", "readTextFileSync", "writeFile", "readDir", "rename", "makeTempDir"].map((n) => [Deno[n].name, Deno[n].length])`,
    );
    expect(output).toEqual([
      ["readFile", 1],
      ["readTextFileSync", 1],
      ["writeFile", 2],
      ["readDir", 1],
      ["rename", 2],
      ["makeTempDir", 0],
    ]);
  });
});

describe("loading a plugin", () => {
  it("has no host: each operation names an alternative [B9]", async () => {
    const top = `
      const tries = {
        read: () => Deno.readTextFileSync("f"), write: () => Deno.writeTextFileSync("f", "x"), list: () => Deno.readDirSync("d"), stat: () => Deno.statSync("f"),
        env: () => Deno.env.get("A"), permission: () => Deno.permissions.querySync({ name: "read" }),
      };
      const seen = {};
      for (const [name, attempt] of Object.entries(tries)) try { attempt() } catch (e) { seen[name] = e.name + ": " + e.message }
      let later; Deno.readTextFile("f").catch((e) => { later = e.message });
      const own = new TextDecoder().decode(new TextEncoder().encode("works")) + new URL("a:b").href + Math.round(performance.now());`;
    const guest = await guestOf("return { seen, later, own }", top);
    expect(guest.output()).toEqual({
      seen: {
        read: "NotCapable: Reading files is not available while the plugin loads; move it into the tool function",
        write: "NotCapable: Changing files is not available while the plugin loads; move it into the tool function",
        list: "NotCapable: Listing folders is not available while the plugin loads; move it into the tool function",
        stat: "NotCapable: Looking at files is not available while the plugin loads; move it into the tool function",
        env: "NotCapable: The environment is not available while the plugin loads; move it into the tool function",
        permission: "NotCapable: Asking for permissions is not available while the plugin loads; move it into the tool function",
      },
      later: "Reading files is not available while the plugin loads; move it into the tool function",
      own: "worksa:b1",
    });
    expect(guest.crossings).toEqual([]);
    guest.dispose();
  });

  it("may read its own files [B9]", async () => {
    const guest = await guestOf("return data", `const data = Deno.readTextFileSync(new URL("./data.txt", "file:///$plugin/main.js"));`);
    expect(guest.output()).toBe("h\u0000é\ufeff");
    expect(guest.crossings).toEqual([{ id: 0, operation: "fs.readFile", args: { path: "/$plugin/data.txt" } }]);
    guest.dispose();
  });

  it("refuses a path that only looks like one of the plugin's own [B9]", async () => {
    const guest = await guestOf(
      "return seen",
      `const seen = []; for (const p of ["/$pluginx/a", "$plugin/a", "//$plugin/a"]) try { Deno.readFileSync(p); seen.push("read") } catch (e) { seen.push(e.name) }`,
    );
    expect(guest.output()).toEqual(["NotCapable", "NotCapable", "NotCapable"]);
    expect(guest.crossings).toEqual([]);
    guest.dispose();
  });
});
