import { expect, it } from "vitest";
import { outputOf, startSandbox } from "../../support/sandbox.ts";

/** Each program throws in the prelude, at once or later. */
const THROWS = [
  ...[`new URL("::")`, `new URL("x", "::")`, `new URLSearchParams([[1]])`, `new URLPattern({ pathname: "(" })`],
  ...[`new Headers([[1]])`, `new Headers().append("a b", "c")`, `new Request("::")`, `new Response("", { status: 9 })`],
  ...[`Response.redirect("::")`, `fetch("::")`, `fetch("data:")`, `fetch("http://x")`, `new FormData(1)`, `new Response("x").formData()`],
  ...[`new Blob(1)`, `new File()`, `new FileReader().readAsText(1)`, `atob("%")`, `btoa("€")`, `Uint8Array.fromHex("x")`],
  ...[`new ReadableStream({ type: "x" })`, `new WritableStream({ type: "x" })`, `new TransformStream({ readableType: "x" })`],
  ...[`(() => { const r = new ReadableStream(); r.getReader(); r.getReader(); })()`, `new ReadableStream().pipeTo(1)`],
  ...[`new CompressionStream("x")`, `new TextDecoder("x")`, `new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255]))`],
  ...[`new TextEncoder().encodeInto("", 1)`, `structuredClone(() => {})`, `new MessagePort()`, `setTimeout(1)`, `queueMicrotask(1)`],
  ...[`new Event()`, `new EventTarget().dispatchEvent(1)`, `AbortSignal.timeout(-1)`, `new AbortSignal()`, `reportError()`],
  ...[`performance.measure("a", "b")`, `new DisposableStack().use(1)`, `Error.captureStackTrace(1)`, `Atomics.load([], 0)`],
  ...[`new SharedArrayBuffer(1, { maxByteLength: 2 })`, `JSON.parse("{")`, `new Worker("x")`, `new WebSocket("x")`],
  ...[`crypto.getRandomValues(new Float32Array(1))`, `crypto.subtle.digest("x", new Uint8Array())`],
  ...[
    `crypto.subtle.importKey("raw", new Uint8Array(), "x", true, [])`,
    `new Intl.NumberFormat("xx-invalid-")`,
    `(1).toLocaleString("--")`,
  ],
  ...[`Deno.readTextFileSync("/x")`, `Deno.readTextFile("/x")`, `Deno.readFile("\\0")`, `Deno.writeTextFile("/x", "x")`, `Deno.stat("/x")`],
  ...[`Deno.open("/x")`, `Deno.open("/x", { truncate: true, write: false })`, `Deno.mkdir("/x")`, `Deno.env.get("")`],
  ...[`Deno.permissions.querySync({ name: "x" })`, `Deno.permissions.query({ name: "x" })`, `new Deno.Command("x")`, `Deno.connect({})`],
  ...[`context.log.write("x")`, `context.output(1)`, `context.progress(undefined)`, `context.workspace.read("x")`],
  ...[`context.tools.call("x", {})`, `Promise.reject(context.error("x"))`, `Promise.reject(new SuppressedError(1, 2))`],
];

const PLUGIN = `
const programs = [${THROWS.map((code) => `async (context) => await (${code})`).join(",\n")}];
export async function run({ index }, context) {
  try { await programs[index](context); } catch (error) { return String(error.stack); }
  return "nothing was thrown";
}`;

it("shows only the plugin's frames, in every error of the prelude whose stack a program reads [PB1.stacks]", async () => {
  await using box = startSandbox();
  await box.load("plugin", PLUGIN);
  const hostCall = () => Promise.resolve({ ok: false as const, error: { name: "NotFound", message: "no" } });
  const wrong: unknown[] = [];
  for (const [index, code] of THROWS.entries()) {
    const stack = outputOf(await box.call("plugin", "run", { args: { index }, hostCall }));
    const lines = typeof stack === "string" ? stack.split("\n").filter((line) => line !== "") : [];
    if (lines.length === 0 || lines.some((line) => !/^ {4}at .+ \(file:\/\/\/\$plugin\/main\.ts:\d+:\d+\)$/u.test(line)))
      wrong.push([code, stack]);
  }
  expect(wrong).toEqual([]);
});
