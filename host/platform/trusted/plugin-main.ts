/**
 * Entry file of a trusted plugin's process, on Deno and on Node: takes one call, and answers it.
 *
 * The plugin runs beside this code and can change it, so the host neither relies on this code nor believes its messages
 * (`host/routes/process/`). This code gives the plugin the same environment as in the sandbox.
 */

import { connectToPath } from "../network/path-sockets.ts";
import { format } from "node:util";
import { collectYields, isAsyncIterable } from "../collect-yields.ts";
import { errorText } from "../error-text.ts";
import { refuseLost } from "../lost-values.ts";
import { encodedContent, partsOf } from "../result-forms.ts";
import { readMessages, type Told } from "./plugin-channel.ts";
import { createContext, TOOL_OUTPUT } from "./plugin-context.ts";
import { arrangeImports, arrangeGlobals, type PluginGlobals } from "./plugin-globals.ts";

const [, , channelPath = "", importMapPath] = process.argv;
const socket = await connectToPath(channelPath);
// The host is gone, or has closed this process.
for (const end of ["end", "close", "error"]) socket.on(end, () => process.exit(0));

const waiting = new Map<number, (answer: Told) => void>();
const stop = new AbortController();
let lastId = 0;

function send(message: object): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

/** Requests one operation of the host; rejects with an error that is named as in `Deno.errors`. */
async function request(name: string, args: object, bytes?: Uint8Array): Promise<{ readonly value: unknown; readonly bytes: Uint8Array }> {
  const id = ++lastId;
  const answered = new Promise<Told>((resolve) => waiting.set(id, resolve));
  send({ type: "operation", id, name, args, ...(bytes && { bytes: Buffer.from(bytes).toString("base64") }) });
  const answer = await answered;
  if (answer["ok"] === true) return { value: answer["value"], bytes: toBytes(answer["bytes"]) };
  throw toError(answer["error"] as Told);
}

function toBytes(base64: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(typeof base64 === "string" ? base64 : "", "base64"));
}

function toError({ name, message, code }: Told): Error {
  const { Deno: deno } = globalThis as { readonly Deno?: { readonly errors: Readonly<Record<string, new (message: string) => Error>> } };
  const made = new (deno?.errors[String(name)] ?? Error)(String(message));
  made.name = String(name);
  return code === undefined ? made : Object.assign(made, { code });
}

/** Log budget of the call. As in the sandbox, lines beyond it are dropped and counted; the host would end the call for them. */
const logs = { leftBytes: 0, lineBytes: 0, length: 0, lines: 0, dropped: 0 };

function log(level: string, values: readonly unknown[]): void {
  const text = format(...values).slice(0, logs.length);
  logs.lines += 1;
  logs.leftBytes -= logs.lineBytes + Buffer.byteLength(text);
  if (logs.leftBytes < 0) logs.dropped += 1;
  else send({ type: "log", level, text });
}

readMessages(socket, (message) => {
  if (message["type"] === "answer") {
    const id = Number(message["id"]);
    waiting.get(id)?.(message);
    waiting.delete(id);
  }
  if (message["type"] === "stop")
    stop.abort(
      message["reason"] === "timeout"
        ? new DOMException("The tool ran out of time", "TimeoutError")
        : new DOMException("The call was cancelled", "AbortError"),
    );
  if (message["type"] === "call") void answerCall(message);
});

async function answerCall(call: Told): Promise<void> {
  arrangeImports(importMapPath);
  arrangeGlobals({
    cwd: String(call["cwd"]),
    tmp: String(call["tmp"]),
    programs: call["programs"] as PluginGlobals["programs"],
    request,
    log,
  });
  const { bytes, lineBytes, length } = call["logs"] as Readonly<Record<"bytes" | "lineBytes" | "length", number>>;
  Object.assign(logs, { leftBytes: bytes, lineBytes, length });
  onUncaught((error) => end(thrown(error)));
  end(await outcomeOf(call));
}

function end(outcome: object): void {
  const { lines, dropped } = logs;
  if (dropped > 0) send({ type: "dropped", lines, dropped });
  send(outcome);
}

async function outcomeOf({ url, export: name, args, told }: Told): Promise<object> {
  try {
    const module = (await import(String(url))) as Readonly<Record<string, unknown>>;
    const tool = module[String(name)];
    if (typeof tool !== "function")
      return { type: "no_export", available: Object.keys(module).filter((key) => typeof module[key] === "function") };
    const context = createContext(told as object, {
      signal: stop.signal,
      request,
      log,
      progress: (value) => send({ type: "progress", value }),
    });
    const value = await (tool as (args: unknown, context: object) => unknown)(args, context);
    return toOutcome(isAsyncIterable(value) ? await collectYields(value, sendYielded, stop.signal) : value);
  } catch (error) {
    return error instanceof NotJson ? { type: "not_json", message: error.message } : thrown(error);
  }
}

/** A yielded value without a JSON form. */
class NotJson extends Error {}

/** Resolves when the caller has the value. @throws {NotJson} */
async function sendYielded(value: unknown, index: number): Promise<void> {
  const what = `value ${index + 1} that the tool yielded`;
  const text = JSON.stringify(value);
  if (text === undefined) throw new NotJson(`Invalid ${what}: ${value === undefined ? "undefined" : `a ${typeof value}`} has no JSON form`);
  try {
    refuseLost(value, text, what);
  } catch (error) {
    throw new NotJson(errorText(error));
  }
  await request("yield", { value });
}

function toOutcome(returned: unknown): object {
  try {
    const form = partsOf(returned);
    const isOutput =
      form !== undefined || (typeof returned === "object" && returned !== null && Reflect.get(returned, TOOL_OUTPUT) === true);
    const parts: object = form ?? (returned as object);
    const made = isOutput
      ? { type: "returned", parts: { ...parts, ...("content" in parts && { content: encodedContent(parts.content) }) } }
      : { type: "returned", plain: returned ?? null };
    // Converted here and not in `send`, because a value without a JSON form is the tool's fault.
    const text = JSON.stringify(isOutput ? made.parts : made.plain);
    if (text === undefined) return { type: "not_json", message: `The tool returned a ${typeof returned}` };
    refuseLost(isOutput ? made.parts : returned, text, "output");

    return made;
  } catch (error) {
    return { type: "not_json", message: errorText(error) };
  }
}

function thrown(error: unknown): object {
  if (!(error instanceof Error)) return { type: "threw", name: "", message: format(error), stack: "" };
  const { name, message, stack = "" } = error;
  const shown = name === "ToolError" ? { shown: { message, details: Reflect.get(error, "details") as unknown } } : {};
  return { type: "threw", name, message, stack, ...shown };
}

/** Handles uncaught errors as in the sandbox: an unhandled rejection is only logged; an error thrown in a timer ends the call. */
function onUncaught(end: (error: unknown) => void): void {
  process.on("unhandledRejection", (reason) => log("error", ["Unhandled rejection:", reason]));
  process.on("uncaughtException", end);
}
