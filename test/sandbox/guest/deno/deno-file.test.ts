import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { answerOperation } from "../../../../host/capabilities/mod.ts";
import { diskCall } from "../../../support/disk-call.ts";
import { outputOf, startSandbox } from "../../../support/sandbox.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { startGuest } from "../engine.ts";

const DENO = fileURLToPath(new URL("../../../../node_modules/.bin/deno", import.meta.url));

/** Each case starts with a file "a.txt" that contains "hello world", in a folder of its own; its result is shown. */
const CASES = [
  `const f = await Deno.open("a.txt"); const b = new Uint8Array(5); const seen = []; for (let n; (n = await f.read(b)) !== null; ) seen.push(text(b.subarray(0, n))); f.close(); return seen`,
  `const f = Deno.openSync("a.txt"); const b = new Uint8Array(20); return [f.readSync(b), f.readSync(b), f.readSync(new Uint8Array(0)), f.close()]`,
  `const f = await Deno.open("a.txt", { read: true, write: true }); await f.seek(6, Deno.SeekMode.Start); await f.write(bytes("WORLD!")); f.close(); return read("a.txt")`,
  `const f = Deno.openSync("a.txt", { read: true, write: true }); const at = [f.seekSync(-5, Deno.SeekMode.End), f.seekSync(2n, Deno.SeekMode.Current), f.seekSync(0, 1)]; f.writeSync(bytes("XX")); f.close(); return [at, read("a.txt")]`,
  `const f = await Deno.open("a.txt", { append: true }); await f.write(bytes(" and")); await f.seek(0, 0); await f.write(bytes(" more")); f.close(); return read("a.txt")`,
  `const f = await Deno.open("a.txt", { write: true, truncate: true }); const { size } = await f.stat(); await f.write(bytes("new")); f.close(); return [size, read("a.txt")]`,
  `const f = await Deno.open("new.txt", { write: true, create: true, mode: 0o600 }); await f.write(bytes("x")); const { size, isFile, isDirectory } = f.statSync(); f.close(); return [size, isFile, isDirectory, Deno.statSync("new.txt").mode & 0o777]`,
  `const f = await Deno.create("a.txt"); await f.write(bytes("abc")); await f.seek(0, Deno.SeekMode.Start); const b = new Uint8Array(9); const n = await f.read(b); f.close(); return [n, text(b.subarray(0, n))]`,
  `const f = Deno.createSync("made.txt"); f.writeSync(bytes("abc")); f.truncateSync(1); await f.sync(); f.syncSync(); await f.syncData(); f.syncDataSync(); f.close(); return read("made.txt")`,
  `const f = await Deno.open("a.txt", { read: true, write: true }); await f.truncate(20); const { size } = await f.stat(); await f.truncate(); const empty = f.statSync().size; f.close(); return [size, empty]`,
  `const f = await Deno.open("a.txt", { write: true }); await f.utime(1, new Date(5000)); const s = f.statSync(); f.utimeSync(new Date(7000), 9); const t = f.statSync(); f.close(); return [s.mtime, t.mtime, t.atime]`,
  `const f = await Deno.open("a.txt"); return new Response(f.readable).text()`,
  `const f = await Deno.open("a.txt"); let all = ""; for await (const chunk of f.readable.pipeThrough(new TextDecoderStream())) all += chunk; return [all, attempt(() => f.close())]`,
  `const f = await Deno.open("a.txt"); const r = f.readable; await r.cancel(); return [f.readable === r, attempt(() => f.close())]`,
  `const f = await Deno.open("b.txt", { write: true, create: true }); await ReadableStream.from(["one ", "two"]).pipeThrough(new TextEncoderStream()).pipeTo(f.writable); return [read("b.txt"), attempt(() => f.close())]`,
  `const f = await Deno.open("b.txt", { write: true, createNew: true }); const w = f.writable.getWriter(); await w.write(bytes("x")); await w.close(); return [read("b.txt"), await attemptLater(Deno.open("b.txt", { write: true, createNew: true }))]`,
  `await Deno.writeFile("a.txt", ReadableStream.from([bytes("one "), bytes("two")])); await Deno.writeFile("a.txt", ReadableStream.from([bytes("!")]), { append: true }); return read("a.txt")`,
  `await Deno.writeTextFile("b.txt", ReadableStream.from(["\\ud83d", "\\ude00", " ok"])); return [read("b.txt"), await attemptLater(Deno.writeTextFile("b.txt", ReadableStream.from(["x"]), { createNew: true }))]`,
  `const stop = new AbortController(); const source = new ReadableStream({ pull(c) { c.enqueue(bytes("x")); stop.abort(new Error("stopped")); } }); return await attemptLater(Deno.writeFile("c.txt", source, { signal: stop.signal }))`,
  `return await attemptLater(Deno.writeFile("a.txt", new ReadableStream({ start(c) { c.error(new TypeError("broken")); } })))`,
  `const f = await Deno.open("a.txt"); f[Symbol.dispose](); f[Symbol.dispose](); return [attempt(() => f.close()), await attemptLater(f.read(new Uint8Array(1))), attempt(() => f.statSync())]`,
  `let g; { using f = await Deno.open("a.txt"); g = f; } return attempt(() => g.readSync(new Uint8Array(1)))`,
  `const f = await Deno.open("a.txt"); await Deno.remove("a.txt"); const b = new Uint8Array(11); await f.read(b); f.close(); return text(b)`,
  `const f = await Deno.open("a.txt"); await Deno.rename("a.txt", "moved.txt"); await Deno.writeTextFile("a.txt", "other"); const b = new Uint8Array(5); await f.read(b); f.close(); return text(b)`,
  `const f = await Deno.open("a.txt", { read: true, write: true }); const b = new Uint8Array(6); const done = await Promise.all([f.write(bytes("HELLO")), f.read(b), f.write(bytes("!"))]); f.close(); return [done, text(b), read("a.txt")]`,
  `const f = await Deno.open("big", { write: true, create: true, read: true }); const data = new Uint8Array(5_000_000).fill(7); const n = await f.write(data); f.writeSync(data); const { size } = await f.stat(); f.close(); return [n, size]`,
  `const f = await Deno.open("a.txt"); await f.seek(100, 0); const n = await f.read(new Uint8Array(1)); f.close(); return n`,
  `return await attemptLater(Deno.open("missing.txt"))`,
  `return attempt(() => Deno.openSync("missing/x.txt", { write: true, create: true }))`,
  `return await attemptLater(Deno.open("a.txt", {}))`,
  `return await attemptLater(Deno.open("a.txt", { read: true, truncate: true }))`,
  `return await attemptLater(Deno.open("a.txt", { read: true, create: true }))`,
  `return attempt(() => new Deno.FsFile(3))`,
  `const f = await Deno.open("a.txt"); const found = [await attemptName(f.write(bytes("x"))), await attemptName(f.seek(-1, 0)), await attemptName(f.truncate(1))]; f.close(); return found`,
  `const f = await Deno.open("a.txt", { write: true }); const found = [await attemptName(f.read(new Uint8Array(1)))]; f.close(); return found`,
  `const f = await Deno.open("a.txt"); const found = [f, f instanceof Deno.FsFile, String(f), f.isTerminal(), Object.keys(f)]; f.close(); return found`,
  `return [Deno.SeekMode, Object.getOwnPropertyNames(Deno.FsFile.prototype).filter((name) => !/lock|Lock|setRaw/.test(name)).sort(), ["read", "seek", "write", "close", "truncateSync"].map((name) => Deno.FsFile.prototype[name].name), Deno.open.name, Deno.open.length, Deno.createSync.name]`,
];

const PROGRAM = `
const bytes = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
const read = (path) => Deno.readTextFileSync(path);
const described = (error) => [error.name, error.constructor.name, error.message];
const attempt = (act) => { try { return act() } catch (error) { return described(error) } };
const attemptLater = (promise) => promise.then((value) => value, described);
const attemptName = (promise) => promise.then((value) => value, (error) => error.name);
const cases = [${CASES.map((body) => `async () => { ${body} }`).join(",\n")}];
export async function run({ index }) {
  try { return Deno.inspect(await cases[index]()) } catch (error) { return "throws " + described(error) }
}
`;

async function askDeno(): Promise<unknown> {
  const root = await temporaryFolder();
  const program = join(root, "cases.js");
  const each = `const found = []; for (let index = 0; index < cases.length; index++) { const here = ${JSON.stringify(root)} + "/" + index; Deno.mkdirSync(here); Deno.chdir(here); Deno.writeTextFileSync("a.txt", "hello world"); found.push(await run({ index })); } console.log(JSON.stringify(found));`;
  await writeFile(program, `${PROGRAM}\n${each}`);
  const { stdout } = await promisify(execFile)(DENO, [
    "run",
    "--quiet",
    "--no-config",
    `--allow-read=${root}`,
    `--allow-write=${root}`,
    program,
  ]);
  return JSON.parse(stdout);
}

async function askPlugin(): Promise<unknown> {
  await using box = startSandbox({ maximumWorkers: 1 });
  const loaded = await box.load("files", { "main.ts": PROGRAM }, ["run"]);
  if (!loaded.ok) throw new Error(loaded.fault.message);
  const found: unknown[] = [];
  for (let index = 0; index < CASES.length; index++) {
    const call = await diskCall({ "a.txt": "hello world" });
    const context = { cwd: call.workspace, workspacePath: call.workspace };
    const hostCall: NonNullable<Parameters<typeof box.call>[2]>["hostCall"] = ({ name, args, bytes }) => call.answer(name, args, bytes);
    found.push(outputOf(await box.call("files", "run", { args: { index }, context, hostCall })));
    await call.context.openFiles?.close((error) => {
      throw error;
    });
  }
  return found;
}

describe("Deno.open() and Deno.FsFile", () => {
  it("act on real files like Deno, and refuse the same [PB2.file]", { timeout: 30_000 }, async () => {
    const [deno, plugin] = await Promise.all([askDeno(), askPlugin()]);
    const byCase = (found: unknown): unknown =>
      Array.isArray(found) ? Object.fromEntries(CASES.map((body, index) => [body, found[index]])) : found;
    expect(byCase(plugin)).toEqual(byCase(deno));
  });

  it("open nothing while a plugin loads, and leave no write unfinished [B9] [B4] [PB2.file]", async () => {
    const loading = await startGuest({
      source: `let refused; try { Deno.openSync("x") } catch (error) { refused = [error.name, error.message] } export const tool = () => refused;`,
    });
    expect(loading.output()).toEqual([
      "NotCapable",
      "Opening files is not available while the plugin loads; move it into the tool function",
    ]);
    loading.dispose();
    const leaving = await startGuest({
      source: `export const tool = async () => { const f = await Deno.open("x", { write: true }); f.write(new Uint8Array(1)); return "done" }`,
      answer: (operation) => (operation === "file.open" ? { value: "1" } : { never: true }),
    });
    expect(leaving.call()).toBe('u["file.write"]');
    leaving.dispose();
  });

  it("send long data in pieces [B3] [PB2.file]", async () => {
    const guest = await startGuest({
      source: `export const tool = async () => { const f = await Deno.open("x", { write: true }); return f.write(new Uint8Array(2 ** 19 + 7)) }`,
      answer: (operation) => ({ value: operation === "file.open" ? "1" : null }),
    });
    expect(guest.output()).toBe(2 ** 19 + 7);
    expect(guest.crossings.map(({ bytes }) => bytes?.length)).toEqual([undefined, ...Array.from({ length: 2 }, () => 2 ** 18), 7]);
    guest.dispose();
  });
});

describe("the plugin's own files", () => {
  it("can be opened and read, and no other files [B9] [PB2.file]", async () => {
    await using box = startSandbox({ maximumWorkers: 1 });
    const call = await diskCall({});
    await box.load(
      "own",
      `export async function run() {
        const found = []; const attempt = async (act) => { try { found.push(await act()) } catch (error) { found.push([error.name, error.message]) } };
        const f = await Deno.open(new URL("./data.txt", import.meta.url));
        await attempt(async () => new Response(f.readable).text());
        await attempt(() => Deno.open(new URL("./data.txt", import.meta.url), { write: true }));
        await attempt(() => Deno.open(new URL("./none.txt", import.meta.url)));
        return found;
      }`,
      ["run"],
    );
    const own = new Map([["data.txt", new TextEncoder().encode("mine")]]);
    const context = { ...call.context, ownFiles: own };
    const hostCall = (operation: Parameters<typeof answerOperation>[0]): ReturnType<typeof answerOperation> =>
      answerOperation(operation, context);
    expect(outputOf(await box.call("own", "run", { hostCall }))).toEqual([
      "mine",
      ["NotCapable", "A plugin's own files cannot be changed: open '/$plugin/data.txt'"],
      ["NotFound", "No such file or directory (os error 2): open '/$plugin/none.txt'"],
    ]);
  });
});
