import { describe, expect, it } from "vitest";
import { type Conversation, createConversation } from "../../../../host/routes/process/conversation.ts";
import { openRunRecord } from "../../../../host/routes/run-record.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../../manifests/mod.ts";
import { routeOptions } from "../../../support/execution.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { toolBody, trustedExecution } from "../../../support/trusted-call.ts";

function conversation(
  limits: Partial<Limits> = {},
): Conversation & { readonly sent: unknown[]; readonly log: readonly unknown[]; say(message: unknown): void } {
  const platform = memoryPlatform();
  const sent: unknown[] = [];
  const record = openRunRecord(trustedExecution(toolBody("")), routeOptions(platform));
  const send = (...pieces: readonly (string | Uint8Array)[]): void =>
    void sent.push(JSON.parse(pieces.map((piece) => (typeof piece === "string" ? piece : new TextDecoder().decode(piece))).join("")));
  const made = createConversation({ record, limits: { ...DEFAULT_LIMITS, ...limits }, slices: platform.slices, send });
  return Object.assign(made, { sent, log: platform.recorded.log, say: (message: unknown) => made.onMessage(JSON.stringify(message)) });
}

const exhausted = (limit: string, allowed: number): object => ({ kind: "fault", fault: { kind: "exhausted", limit, allowed } });

describe("createConversation()", () => {
  it.each([
    ["garbage", "}{"],
    ["a list", "[1]"],
    ["nothing", ""],
    ["a message without a type", "{}"],
    ["a message of an unknown type", '{"type":"call"}'],
    ["an operation without a number", '{"type":"operation","name":"workspace.read","args":{}}'],
    ["bytes that are not base64", '{"type":"operation","id":1,"name":"workspace.write","args":{},"bytes":"%"}'],
  ])("ends a call whose process sends %s [O1.channel]", async (_name, line) => {
    const { onMessage, ended } = conversation();
    void onMessage(line);
    expect(await ended).toMatchObject({
      kind: "fault",
      fault: { kind: "trap", message: expect.stringContaining("The plugin's process sent") },
    });
  });

  it("keeps the first end [O1.channel]", async () => {
    const { say, ended, end } = conversation();
    say({ type: "returned", plain: 1 });
    say({ type: "returned", plain: 2 });
    end({ kind: "fault", fault: { kind: "trap", message: "late" } });
    expect(await ended).toEqual({ kind: "plain", output: 1 });
  });

  it("enforces the sandbox's limits: output, depth, logs, operations [O1.limits, B3]", async () => {
    const output = conversation({ outputBytes: 100 });
    output.say({ type: "returned", plain: "x".repeat(200) });
    expect(await output.ended).toEqual(exhausted("output", 100));

    const depth = conversation({ jsonDepth: 10 });
    void depth.onMessage(`{"type":"returned","plain":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    expect(await depth.ended).toEqual(exhausted("jsonDepth", 10));

    const logs = conversation({ logBytes: 266 });
    logs.say({ type: "log", level: "info", text: "12345" });
    logs.onOutput("stdout", "1234567");
    expect(await logs.ended).toEqual(exhausted("logs", 266));
    expect(logs.log).toHaveLength(1);

    const operations = conversation({ operations: 2 });
    for (let index = 0; index < 3; index++) operations.say({ type: "progress", value: index });
    expect(await operations.ended).toEqual(exhausted("operations", 2));

    const pending = conversation({ pendingOperations: 2 });
    for (let id = 0; id < 3; id++) pending.say({ type: "operation", id, name: "workspace.exists", args: { path: "a" } });
    expect(await pending.ended).toEqual(exhausted("pendingOperations", 2));
  });

  it("answers operations with the same checks as every route [O1.channel, C8]", async () => {
    const { say, sent } = conversation();
    say({ type: "operation", id: 7, name: "workspace.read", args: { path: "/etc/passwd" } });
    say({ type: "operation", id: 8, name: "__proto__", args: {} });
    await expect.poll(() => sent.length).toBe(2);
    expect(sent).toContainEqual({ type: "answer", id: 8, ok: false, error: expect.objectContaining({ name: "NotSupported" }) });
    expect(sent).toContainEqual({ type: "answer", id: 7, ok: false, error: expect.objectContaining({ name: "NotCapable" }) });
  });

  it("keeps the process's text in fields of the log, at a valid level [O1.channel]", () => {
    const { say, onOutput, log } = conversation();
    say({ type: "log", level: "fatal", text: 'a\n{"level":50}' });
    onOutput("stderr", "Warning Permission broker is an experimental feature\n");
    onOutput("stderr", "careful");
    expect(log).toMatchObject([
      { level: "info", message: "guest", fields: { text: 'a\n{"level":50}' } },
      { level: "warn", message: "guest", fields: { text: "careful" } },
    ]);
  });
});
