/** A host started by `bascule serve` or `bascule mcp`, and ways to call it from outside. */

import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Agent, request, type RequestOptions } from "node:http";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Caller } from "./rounds.ts";

export interface HttpDoor extends Caller {
  readonly adminToken: string;
  /** Caller with a separate token, because the calls of a token share a session's slots. */
  readonly canaries: Caller;
  /** Sends a request with the `call` token and reads its whole answer without parsing it. @returns the status */
  send(
    path: string,
    options?: { readonly body?: string | Uint8Array; readonly token?: string; readonly signal?: AbortSignal },
  ): Promise<number>;
  /** Opens a stream of events and never reads it. */
  neglect(path: string, signal: AbortSignal): void;
}

export interface McpDoor extends Caller {
  /** Writes raw bytes to the server. Resolves when they were taken. */
  write(bytes: string | Uint8Array): Promise<void>;
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
}

const READY_WITHIN_MS = 30_000;
const SHOWN = 80;
/** Larger lines of an MCP server are not parsed here, because that would delay the measurement. */
const PARSED_CHARACTERS = 64 * 1_024;

/** Waits until the server accepts requests. @param canaryToken a token in `bascule.json` */
export async function openHttpDoor(child: ChildProcess, folder: string, canaryToken: string): Promise<HttpDoor> {
  const printed = await printedUntil(child, "Press Ctrl-C");
  const url = /http:\/\/\S+/u.exec(printed)?.[0] ?? "";
  const token = async (name: string): Promise<string> => (await readFile(join(folder, ".bascule", `${name}.token`), "utf8")).trim();
  const [callToken, adminToken] = [await token("call"), await token("admin")];
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const begin = (path: string, options: RequestOptions, body?: string | Uint8Array): Promise<import("node:http").IncomingMessage> =>
    new Promise((resolve, reject) => {
      const fields = { authorization: `Bearer ${callToken}`, ...(body !== undefined && { "content-type": "application/json" }) };
      const sent = request(
        url + path,
        { method: body === undefined ? "GET" : "POST", agent, ...options, headers: { ...fields, ...options.headers } },
        resolve,
      );
      sent.on("error", reject);
      sent.end(body);
    });
  const callerWith = (bearer: string): Caller => ({
    async call(tool, args, signal) {
      const fields = { authorization: `Bearer ${bearer}` };
      const answer = await begin("/v1/calls", { headers: fields, ...(signal && { signal }) }, JSON.stringify({ tool, args }));
      return outputOf(await textOf(answer));
    },
  });
  return {
    ...callerWith(callToken),
    canaries: callerWith(canaryToken),
    adminToken,
    async send(path, { body, token: other, signal } = {}) {
      const answer = await begin(
        path,
        { ...(signal && { signal }), ...(other !== undefined && { headers: { authorization: `Bearer ${other}` } }) },
        body,
      );
      answer.resume();
      await new Promise((resolve) => answer.once("close", resolve));
      return answer.statusCode ?? 0;
    },
    neglect(path, signal) {
      // Neither read nor ended before `signal` is aborted.
      void begin(path, { signal, agent: new Agent({ keepAlive: false }), headers: { accept: "text/event-stream" } }).catch(() => undefined);
    },
  };
}

/** @throws {Error} with the code if the call failed or the request was invalid */
function outputOf(text: string): unknown {
  if (text.length > PARSED_CHARACTERS) return `${text.length} characters`;
  // The format in `docs/http.md`.
  const { ok, output, error, code, detail } = JSON.parse(text) as {
    readonly ok?: boolean;
    readonly output?: unknown;
    readonly error?: { readonly code: string; readonly message: string };
    readonly code?: string;
    readonly detail?: string;
  };
  if (ok === true) return output;
  throw new Error(`${error?.code ?? code}: ${(error?.message ?? detail ?? "").slice(0, SHOWN)}`);
}

/** Sends `initialize` first, and enables every log level. */
export async function openMcpDoor(child: ChildProcess): Promise<McpDoor> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("An MCP server has a standard input and output");
  const waiting = new Map<number, (line: string) => void>();
  readLines(stdout, (head, line) => {
    const id = /"id":(\d+)/u.exec(head)?.[1];
    if (id !== undefined) waiting.get(Number(id))?.(line);
  });
  let last = 0;
  const post = (method: string, params: object, signal?: AbortSignal): Promise<string> => {
    const id = ++last;
    return new Promise((resolve) => {
      const cancel = (): void =>
        void writeTo(stdin, `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })}\n`).then(
          () => resolve("cancelled"),
        );
      waiting.set(id, (line) => {
        waiting.delete(id);
        signal?.removeEventListener("abort", cancel);
        resolve(line);
      });
      signal?.addEventListener("abort", cancel, { once: true });
      void writeTo(stdin, `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  };
  await post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "liveness", version: "1" } });
  await writeTo(stdin, `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await post("logging/setLevel", { level: "debug" });
  return {
    write: (bytes) => writeTo(stdin, bytes),
    request: (method, params, signal) => post(method, params, signal),
    async call(tool, args, signal) {
      const line = await post("tools/call", { name: tool.replace(".", "__"), arguments: args }, signal);
      if (line === "cancelled" || line.length > PARSED_CHARACTERS) return `${line.length} characters`;
      const { result, error } = JSON.parse(line) as {
        result?: { isError?: boolean; content: readonly { text?: string }[] };
        error?: { message: string };
      };
      const text = result?.content[0]?.text ?? error?.message ?? "";
      if (result === undefined || result.isError === true) throw new Error(text.slice(0, SHOWN));
      return /^\d+$/u.test(text) ? Number(text) : text;
    },
  };
}

async function writeTo(stream: Writable, bytes: string | Uint8Array): Promise<void> {
  if (!stream.write(bytes)) await new Promise((resolve) => stream.once("drain", resolve));
}

/** Calls back with the beginning of each line, and with the whole line if it is short. */
function readLines(stream: Readable, onLine: (head: string, line: string) => void): void {
  let line = "";
  let length = 0;
  stream.setEncoding("latin1").on("data", (text: string) => {
    let begin = 0;
    for (let end = text.indexOf("\n"); ; end = text.indexOf("\n", begin)) {
      const piece = text.slice(begin, end === -1 ? undefined : end);
      if (line.length <= PARSED_CHARACTERS) line += piece;
      length += piece.length;
      if (end === -1) return;
      const whole = Buffer.from(line, "latin1").toString("utf8");
      onLine(`${whole.slice(0, 200)}${whole.slice(-200)}`, length > PARSED_CHARACTERS ? " ".repeat(PARSED_CHARACTERS + 1) : whole);
      line = "";
      length = 0;
      begin = end + 1;
    }
  });
}

async function printedUntil(child: ChildProcess, text: string): Promise<string> {
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => void (printed += piece));
  for (const end = performance.now() + READY_WITHIN_MS; !printed.includes(text); await pause(10))
    if (performance.now() > end || child.exitCode !== null) throw new Error(`The host does not accept requests: ${printed}`);
  return printed;
}

async function textOf(stream: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
