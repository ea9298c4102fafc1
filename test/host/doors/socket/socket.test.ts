import { describe, expect, it, vi } from "vitest";
import type { ConfirmationRequest, ToolResult } from "../../../../host/call/call.ts";
import type { PendingConfirmation } from "../../../../host/confirmations/pending.ts";
import { type CallListener, type CallRequest, type ClientOperations, DoorError } from "../../../../host/doors/operations.ts";
import { openSocketDoor } from "../../../../host/doors/socket/socket.ts";
import { connectToHost } from "../../../../host/doors/socket/socket-client.ts";
import { createOperations } from "../../../../host/doors/host-operations.ts";
import { createHost } from "../../../../host/mod.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../../host/platform/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const STATE = "/project/.bascule";
const QUESTION: ConfirmationRequest = {
  requestId: "q1",
  callId: "c1",
  tool: "note_add",
  args: { title: "x" },
  class: "write",
  destructive: false,
  projectedModifications: [],
  hash: "h",
};

function resultOf(output: string): ToolResult {
  return {
    callId: "c1",
    tool: "echo",
    arguments: {},
    requiresApproval: false,
    content: [],
    sideEffects: [],
    filesModified: [],
    durationMs: 1,
    limitsUsed: { wallMs: 1 },
    metadata: {},
    ok: true,
    status: "success",
    output,
  };
}

/** Creates operations that reject, except for those that the test gives. */
function operations(given: Partial<ClientOperations>): ClientOperations {
  const missing = (): Promise<never> => Promise.reject(new DoorError("internal", "Not given"));
  return {
    call: missing,
    status: missing,
    list: missing,
    info: missing,
    grant: missing,
    revoke: missing,
    grants: missing,
    readResult: missing,
    settings: missing,
    why: missing,
    pending: missing,
    resolve: missing,
    result: missing,
    commit: missing,
    undo: missing,
    undoable: missing,
    waiting: missing,
    cancelWaiting: missing,
    accept: missing,
    inspect: missing,
    install: missing,
    rollback: missing,
    remove: missing,
    reload: missing,
    watch: missing,
    end: () => Promise.resolve(),
    ...given,
  };
}

async function serve(
  platform: MemoryPlatform,
  given: Partial<ClientOperations>,
  stateDirectory = STATE,
): ReturnType<typeof openSocketDoor> {
  return await openSocketDoor({ platform, stateDirectory, open: () => operations(given) });
}

/** Connects a raw client that sends lines and collects the answers. */
async function rawClient(platform: MemoryPlatform): Promise<{ send(line: string): void; next(): Promise<unknown>; close(): void }> {
  const connection = await platform.sockets.connect(`${STATE}/host.sock`);
  if (!connection) throw new Error("No host is listening");
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  connection.onLine((line) => {
    const waiter = waiting.shift();
    if (waiter) waiter(line);
    else lines.push(line);
  });
  return {
    send: (line) => connection.send(line),
    next: () =>
      new Promise<string>((resolve) => (lines.length > 0 ? resolve(lines.shift() ?? "") : waiting.push(resolve))).then((line): unknown =>
        JSON.parse(line),
      ),
    close: () => connection.close(),
  };
}

const LISTENER: CallListener = { signal: new AbortController().signal };

describe("openSocketDoor()", () => {
  it("answers a call of another process, with its progress [I2.socket]", async () => {
    const platform = createMemoryPlatform();
    const seen: CallRequest[] = [];
    const door = await serve(platform, {
      call: async (request, listener) => {
        seen.push(request);
        listener.onProgress?.({ done: 1 });
        return resultOf("hello");
      },
    });
    const remote = await connectToHost(platform, STATE);
    const progress: unknown[] = [];
    const result = await remote?.operations.call(
      { tool: "echo", args: { text: "a\nb" }, timeoutMs: 50 },
      { ...LISTENER, onProgress: (value) => progress.push(value) },
    );
    expect(result).toEqual(resultOf("hello"));
    expect(progress).toEqual([{ done: 1 }]);
    expect(seen).toEqual([{ tool: "echo", args: { text: "a\nb" }, timeoutMs: 50 }]);
    remote?.close();
    await door.close();
  });

  it.each([true, false, undefined])("asks the user of the calling client, and takes the answer %s [I2.confirm]", async (answer) => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, {
      call: async (_request, listener) => resultOf(String(await listener.confirm?.(QUESTION, new AbortController().signal))),
    });
    const remote = await connectToHost(platform, STATE);
    const asked: ConfirmationRequest[] = [];
    const confirm = async (request: ConfirmationRequest): Promise<boolean | undefined> => {
      asked.push(request);
      return answer;
    };
    expect(await remote?.operations.call({ tool: "note_add", args: {} }, { ...LISTENER, confirm })).toMatchObject({
      output: String(answer),
    });
    expect(asked).toEqual([QUESTION]);
    await door.close();
  });

  it("asks with an outline of large arguments, even if they are too long for a line [LV2.confirmations]", async () => {
    const platform = createMemoryPlatform();
    const large = { ...QUESTION, args: { data: "x".repeat(5_000_000) }, largeArguments: { bytes: 5_000_011, sha256: "s" } };
    const door = await serve(platform, {
      call: async (_request, listener) => resultOf(String(await listener.confirm?.(large, new AbortController().signal))),
    });
    const remote = await connectToHost(platform, STATE);
    const asked: ConfirmationRequest[] = [];
    const confirm = async (request: ConfirmationRequest): Promise<boolean> => asked.push(request) === 1;
    expect(await remote?.operations.call({ tool: "note_add", args: {} }, { ...LISTENER, confirm })).toMatchObject({ output: "true" });
    expect(asked).toEqual([{ ...large, args: { data: "[5000000 characters]" } }]);
    await door.close();
  });

  it("does not ask a client without a user [I2.confirm]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { call: async (_request, listener) => resultOf(String(listener.confirm === undefined)) });
    const remote = await connectToHost(platform, STATE);
    expect(await remote?.operations.call({ tool: "note_add", args: {} }, LISTENER)).toMatchObject({ output: "true" });
    await door.close();
  });

  it("withdraws a confirmation that was answered elsewhere [I2.confirm]", async () => {
    const platform = createMemoryPlatform();
    const settled = new AbortController();
    const door = await serve(platform, {
      call: async (_request, listener) => {
        const answer = listener.confirm?.(QUESTION, settled.signal);
        settled.abort();
        return resultOf(String(await answer));
      },
    });
    const remote = await connectToHost(platform, STATE);
    const withdrawn = Promise.withResolvers<void>();
    const confirm = (_request: ConfirmationRequest, signal: AbortSignal): Promise<undefined> =>
      new Promise(() => signal.addEventListener("abort", () => withdrawn.resolve()));
    expect(await remote?.operations.call({ tool: "note_add", args: {} }, { ...LISTENER, confirm })).toMatchObject({ output: "undefined" });
    await withdrawn.promise;
    await door.close();
  });

  it("withdraws a confirmation when its client cancels the call, and sends none that is already settled [I2.confirm]", async () => {
    const platform = createMemoryPlatform();
    const never = new AbortController().signal;
    const answers: unknown[] = [];
    const door = await serve(platform, {
      call: async (_request, { confirm }) => {
        answers.push(await confirm?.({ ...QUESTION, requestId: "over" }, AbortSignal.abort()));
        answers.push(await confirm?.(QUESTION, never));
        return resultOf("done");
      },
    });
    const client = await rawClient(platform);
    client.send('{"id":1,"op":"call","params":{"tool":"note_add","interactive":true}}');
    expect(await client.next()).toEqual({ id: 1, event: "settled", requestId: "over" });
    expect(await client.next()).toMatchObject({ id: 1, event: "confirm", request: { requestId: "q1" } });
    client.send('{"id":1,"op":"cancel"}');
    expect(await client.next()).toEqual({ id: 1, event: "settled", requestId: "q1" });
    expect(await client.next()).toMatchObject({ id: 1, ok: true, result: { output: "done" } });
    expect(answers).toEqual([undefined, undefined]);
    client.close();
    await door.close();
  });

  it("treats a failing prompt as no answer [I2.confirm]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, {
      call: async (_request, { confirm }) => resultOf(String(await confirm?.(QUESTION, new AbortController().signal))),
    });
    const remote = await connectToHost(platform, STATE);
    const confirm = (): Promise<never> => Promise.reject(new Error("No terminal"));
    expect(await remote?.operations.call({ tool: "note_add", args: {} }, { ...LISTENER, confirm })).toMatchObject({ output: "undefined" });
    await door.close();
  });

  it("writes a long list of confirmations in slices, and reports if it is too long for a line [LV2.confirmations] [I2.caps]", async () => {
    const platform = createMemoryPlatform();
    let length = 50;
    const listed = (): readonly PendingConfirmation[] =>
      Array.from({ length }, (_, index) => ({
        ...{ request: { ...QUESTION, requestId: `q${index}`, args: { text: "é".repeat(30_000) } }, sessionId: "s1" },
        ...{ scopes: ["once"], askedAt: 1, expiresAt: 2 },
      }));
    const door = await serve(platform, { pending: () => Promise.resolve(listed()) });
    const remote = await connectToHost(platform, STATE);
    const written: number[] = [];
    const { stringify } = JSON;
    using _spy = vi.spyOn(JSON, "stringify").mockImplementation((value: unknown, replacer?: unknown, space?: string | number) => {
      const text = stringify(value, replacer as never, space);
      written.push(text?.length ?? 0);
      return text;
    });
    expect(await remote?.operations.pending()).toEqual(listed());
    expect(Math.max(...written)).toBeLessThanOrEqual(64 * 1024);
    length = 256;
    await expect(remote?.operations.pending()).rejects.toThrow("longer than the 4194303 bytes");
    await door.close();
  });

  it("drops progress that is too long for a line, and answers the call [I2.caps]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, {
      call: async (_request, { onProgress }) => {
        onProgress?.("x".repeat(5 * 1024 * 1024));
        onProgress?.("short");
        return resultOf("done");
      },
    });
    const remote = await connectToHost(platform, STATE);
    const told: unknown[] = [];
    const listener = { ...LISTENER, onProgress: (value: unknown) => told.push(value) };
    expect(await remote?.operations.call({ tool: "echo", args: {} }, listener)).toMatchObject({ output: "done" });
    expect(told).toEqual(["short"]);
    await door.close();
  });

  it("cancels the calls of a client that disconnects [I2.disconnect]", async () => {
    const platform = createMemoryPlatform();
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const door = await serve(platform, {
      call: (_request, { signal }) =>
        new Promise((resolve) => {
          started.resolve();
          signal.addEventListener("abort", () => {
            cancelled.resolve();
            resolve(resultOf("late"));
          });
        }),
    });
    const remote = await connectToHost(platform, STATE);
    const call = remote?.operations.call({ tool: "slow", args: {} }, LISTENER);
    const refused = call?.catch((error: unknown) => error);
    await started.promise;
    remote?.close();
    await cancelled.promise;
    expect(await refused).toEqual(
      new DoorError(
        "closed",
        "The host that served this project has stopped (start it again; `bascule waiting` lists the calls that it continues)",
      ),
    );
    await door.close();
  });

  it("ends only the sessions of a client that disconnects [I2.disconnect]", async () => {
    const platform = memoryPlatform();
    await using host = await createHost({ platform, config: false });
    const closed: unknown[] = [];
    host.subscribe(({ type, sessionId }) => type === "session.closed" && closed.push(sessionId));
    const sessions = [host.session(), host.session()];
    const left = [...sessions];
    const open = (): ClientOperations => {
      const session = left.shift() ?? host.session();
      return createOperations({ host, files: platform.files, slices: platform.slices, session, about: { version: "1", pid: 1 } });
    };
    const door = await openSocketDoor({ platform, stateDirectory: STATE, open });
    const remote = await connectToHost(platform, STATE);
    const other = await connectToHost(platform, STATE);
    await remote?.operations.call({ tool: "none", args: {}, context: { role: "reader" } }, LISTENER);
    expect(await other?.operations.list()).not.toEqual([]);
    remote?.close();
    await expect.poll(() => closed).toHaveLength(2);
    expect(closed).toContain(sessions[0]?.id);
    expect(closed).not.toContain(sessions[1]?.id);
    await door.close();
  });

  it("cancels one call when its caller aborts it [I2.disconnect]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, {
      call: (_request, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(resultOf("cancelled")))),
    });
    const remote = await connectToHost(platform, STATE);
    const giveUp = new AbortController();
    const call = remote?.operations.call({ tool: "slow", args: {} }, { signal: giveUp.signal });
    giveUp.abort();
    expect(await call).toMatchObject({ output: "cancelled" });
    await door.close();
  });

  it("passes errors on with their code and suggestion [I2.errors]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { info: () => Promise.reject(new DoorError("not_found", 'Unknown tool "wrods"', "words")) });
    const remote = await connectToHost(platform, STATE);
    await expect(remote?.operations.info("wrods")).rejects.toEqual(new DoorError("not_found", 'Unknown tool "wrods"', "words"));
    await door.close();
  });

  it("hides an unexpected error from the client, and logs it [I2.errors]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { list: () => Promise.reject(new Error("secret path /x")) });
    const remote = await connectToHost(platform, STATE);
    await expect(remote?.operations.list()).rejects.toThrow("The host failed to answer (see its log)");
    expect(platform.recorded.log).toEqual([
      { level: "error", message: "A request over the socket failed", fields: { op: "list", error: "Error: secret path /x" } },
    ]);
    await door.close();
  });

  it("lets only one host serve a project [I2.one]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, {});
    await expect(serve(platform, {})).rejects.toMatchObject({ code: "already_exists" });
    await door.close();
    await (await serve(platform, {})).close();
    expect(await connectToHost(platform, STATE)).toBeUndefined();
  });

  it("finds a host whose socket is elsewhere because the usual path is too long [I2.long-path]", async () => {
    const platform = createMemoryPlatform();
    const deep = `/${"long-folder-name/".repeat(8)}.bascule`;
    const door = await serve(platform, { reload: async () => 3 }, deep);
    expect(door.path).toMatch(/^\/tmp\/bascule-[0-9a-f]{32}\/host\.sock$/u);
    expect((await platform.files.stat(`${deep}/host.json`))?.mode).toBe(0o600);
    const remote = await connectToHost(platform, deep);
    expect(await remote?.operations.reload()).toBe(3);
    await expect(serve(platform, {}, deep)).rejects.toMatchObject({ code: "already_exists" });
    await door.close();
    expect(await platform.files.stat(`${deep}/host.json`)).toBeUndefined();
    expect(await connectToHost(platform, deep)).toBeUndefined();
  });

  it("ignores foreign paths in the host file, and keeps another host's file [I2.long-path]", async () => {
    const platform = createMemoryPlatform();
    const deep = `/${"long-folder-name/".repeat(8)}.bascule`;
    const doors = [await serve(platform, {}, deep)];
    const record = `${deep}/host.json`;
    await platform.files.remove(record);
    doors.push(await serve(platform, { reload: async () => 5 }, deep));
    await doors[0]?.close();
    expect(await (await connectToHost(platform, deep))?.operations.reload()).toBe(5);
    const elsewhere = await platform.sockets.listen("/run/somebody.sock", () => expect.unreachable());
    await platform.files.writeAtomic(record, '{"socket":"/run/somebody.sock"}');
    expect(await connectToHost(platform, deep)).toBeUndefined();
    await elsewhere.close();
    await doors[1]?.close();
  });
});

describe("the socket's protocol", () => {
  it.each([
    ["no JSON", "hello", null],
    ["half a line of JSON", '{"id":1,', null],
    ["no object", "[1]", null],
    ["no id", '{"op":"list"}', null],
    ["a broken id", '{"id":1.5,"op":"list"}', null],
    ["an unknown operation", '{"id":1,"op":"eval"}', 1],
    ["an operation of Object.prototype", '{"id":1,"op":"constructor"}', 1],
    ["wrong params", '{"id":2,"op":"info","params":[]}', 2],
    ["a call without a tool", '{"id":3,"op":"call","params":{}}', 3],
    ["a wrong deadline", '{"id":4,"op":"call","params":{"tool":"x","timeoutMs":-1}}', 4],
    ["a deadline beyond every limit", '{"id":4,"op":"call","params":{"tool":"x","timeoutMs":1e12}}', 4],
    ["wrong permissions", '{"id":5,"op":"grant","params":{"plugin":"x","permissions":{"read":5}}}', 5],
    ["no permissions", '{"id":6,"op":"grant","params":{"plugin":"x"}}', 6],
    ["an unknown act", '{"id":7,"op":"why","params":{"name":"x","act":{"kind":"fly"}}}', 7],
    ["a wrong context", '{"id":8,"op":"why","params":{"name":"x","context":{"readOnly":1}}}', 8],
    ["an invalid context", '{"id":8,"op":"call","params":{"tool":"x","context":"guest"}}', 8],
    ["an approval without a hash", '{"id":8,"op":"resolve","params":{"requestId":"q","approve":true}}', 8],
    ["an approval that is not a boolean", '{"id":8,"op":"resolve","params":{"requestId":"q","hash":"h","approve":"yes"}}', 8],
    ["an acceptance without a digest", '{"id":8,"op":"accept","params":{"plugin":"x"}}', 8],
    ["a removal without a plugin", '{"id":8,"op":"remove","params":{"plugin":""}}', 8],
    ["a rollback without a plugin", '{"id":8,"op":"rollback"}', 8],
    ["an invalid source", '{"id":8,"op":"inspect","params":{"source":["/etc"]}}', 8],
    ["a source that is too long", `{"id":8,"op":"inspect","params":{"source":"${"x".repeat(9_000)}"}}`, 8],
    ["an installation without a digest", '{"id":8,"op":"install","params":{}}', 8],
    ["a deep document", `{"id":8,"op":"call","params":{"tool":"x","args":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`, null],
  ])("answers %s with invalid_request and continues [I2.malformed]", async (_name, line, id) => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { reload: async () => 7 });
    const client = await rawClient(platform);
    client.send(line);
    expect(await client.next()).toMatchObject({ id, ok: false, error: { code: "invalid_request" } });
    client.send('{"id":99,"op":"reload"}');
    expect(await client.next()).toEqual({ id: 99, ok: true, result: 7 });
    client.close();
    await door.close();
  });

  it("takes 64 requests at once, and refuses more and an id that is still open [I2.caps]", async () => {
    const platform = createMemoryPlatform();
    const open: (() => void)[] = [];
    const door = await serve(platform, { reload: () => new Promise((resolve) => open.push(() => resolve(0))) });
    const client = await rawClient(platform);
    for (let id = 1; id <= 64; id += 1) client.send(JSON.stringify({ id, op: "reload" }));
    client.send('{"id":1,"op":"reload"}');
    expect(await client.next()).toMatchObject({ id: 1, ok: false, error: { code: "invalid_request" } });
    client.send('{"id":65,"op":"reload"}');
    expect(await client.next()).toMatchObject({ id: 65, ok: false, error: { code: "busy" } });
    open[0]?.();
    expect(await client.next()).toEqual({ id: 1, ok: true, result: 0 });
    client.close();
    await door.close();
  });

  it("answers a request or result that is too long for a line with too_large [I2.caps]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { call: async () => resultOf("x".repeat(4 * 1024 * 1024)) });
    const remote = await connectToHost(platform, STATE);
    await expect(remote?.operations.call({ tool: "echo", args: {} }, LISTENER)).rejects.toMatchObject({ code: "too_large" });
    await expect(remote?.operations.call({ tool: "echo", args: "x".repeat(4 * 1024 * 1024) }, LISTENER)).rejects.toMatchObject({
      code: "too_large",
    });
    await door.close();
  });

  it("takes 32 connections and refuses more [I2.caps]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { reload: async () => 1 });
    const clients = await Promise.all(Array.from({ length: 32 }, () => rawClient(platform)));
    const refused = await rawClient(platform);
    expect(await refused.next()).toMatchObject({ id: null, error: { code: "busy" } });
    clients[31]?.send('{"id":1,"op":"reload"}');
    expect(await clients[31]?.next()).toEqual({ id: 1, ok: true, result: 1 });
    await door.close();
  });

  it("ignores answers to unknown confirmations [I2.confirm]", async () => {
    const platform = createMemoryPlatform();
    const door = await serve(platform, { reload: async () => 1 });
    const client = await rawClient(platform);
    client.send('{"id":1,"op":"answer","requestId":"q1","answer":true}');
    client.send('{"id":2,"op":"cancel"}');
    client.send('{"id":3,"op":"reload"}');
    expect(await client.next()).toEqual({ id: 3, ok: true, result: 1 });
    await door.close();
  });
});
