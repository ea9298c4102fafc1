import { describe, expect, it } from "vitest";
import { type Broker, createBroker } from "../../../../host/routes/process/broker.ts";
import { testCall, type TestCall } from "../../../support/bridge-context.ts";
import { recordHostReads } from "../../../support/host-reads.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const PLACES = { root: "/run/p1", code: "/run/p1/plugin", channel: "/run/p1/c" };

interface TestBroker extends Broker {
  readonly call: TestCall;
  readonly answers: unknown[];
  readonly faults: string[];
  /** Sends the next check with the expected number. */
  ask(permission: string, value: string | null): Promise<unknown>;
}

function broker(options: { readonly mayDo?: number; readonly usedUp?: string } = {}): TestBroker {
  const { mayDo = Infinity, usedUp } = options;
  const platform = memoryPlatform();
  platform.plant("/run/p1/plugin/main.ts", "own");
  platform.plant("/workspace/in/link", { link: "/run/p1" });
  const call = testCall({
    platform,
    cwd: "/workspace",
    permissions: { read: ["in", "/run"], write: ["in", "/run"], run: ["/usr/bin/git"], net: ["93.184.216.34"] },
  });
  const { meter } = call.context;
  const spend: typeof meter.spend = (what, amount) =>
    what === usedUp ? { code: "resource_exhausted", message: "used up", visible: true } : meter.spend(what, amount);
  const answers: unknown[] = [];
  const faults: string[] = [];
  let counted = 0;
  const made = createBroker({
    bridge: { ...call.context, meter: { ...meter, spend } },
    process: async () => ({
      ...PLACES,
      answer: (line) => void answers.push(JSON.parse(line)),
    }),
    count: () => (counted += 1) <= mayDo,
    onFault: (message) => void faults.push(message),
  });
  let id = 0;
  return Object.assign(made, {
    call,
    answers,
    faults,
    async ask(permission: string, value: string | null) {
      const asked = answers.length;
      await made.onCheck(JSON.stringify({ v: 1, pid: 1, id: ++id, datetime: "", permission, value }));
      return answers[asked];
    },
  });
}

describe("createBroker()", () => {
  it("refuses a value too long for a path, reads its line in slices, and looks up no file [LV2.process]", async () => {
    const { ask, begin, call } = broker();
    begin();
    using reads = recordHostReads();
    const reason = "The value for read access is longer than 8192 characters";
    expect(await ask("read", "/a".repeat(200_000))).toEqual({ id: 1, result: "deny", reason });
    // The test itself writes the line; no other code here handles so much at once.
    expect(reads.large).toHaveLength(1);
    expect(call.acts).toMatchObject([{ decision: "denied", permission: "read", layer: "protocol" }]);
  });

  it("answers each check in order, in Deno's protocol [O1.broker]", async () => {
    const { ask, begin, call } = broker();
    begin();
    expect(await ask("read", "/workspace/in/a")).toEqual({ id: 1, result: "allow" });
    expect(await ask("read", "/etc/passwd")).toEqual({
      id: 2,
      result: "deny",
      reason: expect.stringContaining("grant it with: bascule grant words"),
    });
    expect(call.acts.map(({ permission, value, decision }) => [permission, value, decision])).toEqual([
      ["read", "/workspace/in/a", "granted"],
      ["read", "/etc/passwd", "denied"],
    ]);
  });

  it("refuses everything before the call except bascule's own connection to its channel [O1.broker]", async () => {
    const { ask, begin, call } = broker();
    expect(await ask("read", "/workspace/in/a")).toMatchObject({ result: "deny" });
    expect(await ask("write", "/run/p1/c")).toMatchObject({ result: "allow" });
    expect(await ask("net", "unix:/run/p1/c")).toMatchObject({ result: "allow" });
    expect(await ask("net", "unix:/run/p1/b")).toMatchObject({ result: "deny" });
    begin();
    expect(await ask("net", "unix:/run/p1/c")).toMatchObject({ result: "deny" });
    expect(call.acts.filter(({ decision }) => decision === "granted")).toEqual([]);
  });

  it("refuses access to the process's folder under any grant, except reading the plugin's own files [O1.broker]", async () => {
    const { ask, begin, call } = broker();
    begin();
    expect(await ask("read", "/run/p1/plugin/main.ts")).toMatchObject({ result: "allow" });
    expect(call.acts).toEqual([]);
    for (const [permission, value] of [
      ["write", "/run/p1/plugin/main.ts"],
      ["read", "/run/p1/b"],
      ["read", "/run/p1/plugin/../imports.json"],
      ["write", "/run/p1"],
      ["write", "/workspace/in/link/plugin/main.ts"],
      ["read", "/workspace/in/link/imports.json"],
    ] as const)
      expect(await ask(permission, value), `${permission} ${value}`).toMatchObject({ result: "deny" });
    expect(await ask("read", "/run/p2")).toMatchObject({ result: "allow" });
  });

  it.each([
    ["garbage", "hello"],
    ["a list", "[]"],
    ["another version", JSON.stringify({ v: 2, pid: 1, id: 1, permission: "read", value: "/workspace/in" })],
    ["no version", JSON.stringify({ id: 1, permission: "read", value: "/workspace/in" })],
    ["an unexpected number", JSON.stringify({ v: 1, id: 2, permission: "read", value: "/workspace/in" })],
    ["no permission", JSON.stringify({ v: 1, id: 1, value: "/workspace/in" })],
    ["a value that is not a string", JSON.stringify({ v: 1, id: 1, permission: "read", value: ["/workspace/in"] })],
    ["no value", JSON.stringify({ v: 1, id: 1, permission: "read" })],
  ])("stops answering after %s because the protocol is unknown [O1.fault]", async (_name, line) => {
    const { onCheck, begin, answers, faults } = broker();
    begin();
    await onCheck(line);
    expect(faults).toEqual([expect.stringContaining("Unknown version of Deno's permission broker protocol")]);
    await onCheck(JSON.stringify({ v: 1, id: 1, permission: "read", value: "/workspace/in" }));
    expect(answers).toEqual([]);
  });

  it("refuses checks beyond the call's operations [O1.limits, B3]", async () => {
    const { ask, begin, call } = broker({ mayDo: 1 });
    begin();
    expect(await ask("read", "/workspace/in/a")).toMatchObject({ result: "allow" });
    expect(await ask("read", "/workspace/in/a")).toMatchObject({ result: "deny" });
    expect(call.acts).toHaveLength(1);
  });

  it.each(["hostCalls", "requests"])("refuses a connection if the quota of %s is used up [O1.limits, D9]", async (usedUp) => {
    const { ask, begin, call } = broker({ usedUp });
    begin();
    expect(await ask("net", "93.184.216.34:80")).toMatchObject({ result: "deny", reason: "used up" });
    expect(await ask("read", "/workspace/in/a")).toMatchObject({ result: usedUp === "requests" ? "allow" : "deny" });
    expect(call.acts[0]).toMatchObject({ permission: "net", decision: "denied", layer: "quota" });
  });

  it("records a refusal of all programs only if no check of one program follows [O1.audit]", async () => {
    const asked = broker();
    asked.begin();
    expect(await asked.ask("run", null)).toMatchObject({ result: "deny" });
    expect(await asked.ask("run", "/usr/bin/git")).toMatchObject({ result: "allow" });
    expect(asked.ran).toBe(true);
    expect(await asked.ask("run", null)).toMatchObject({ result: "deny" });
    asked.end();
    expect(asked.call.acts.map(({ value, decision }) => [value, decision])).toEqual([
      ["/usr/bin/git", "granted"],
      ["", "denied"],
    ]);
  });
});
