import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveRunner } from "../../../host/doors/ipc/serve-runner.ts";
import { createMemoryPair } from "../../../host/platform/memory/memory-sockets.ts";
import { httpDoor, type HttpDoorUnderTest } from "../../support/http-door.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

/** Maximum size that doors and a worker's answers pass on at once. */
const AT_ONCE = 64 * 1024 + 4_096;
const MAIN = `
export const count = ({ data }) => JSON.stringify(data).length;
export const none = () => 0;
`;
const MANIFEST = {
  schemaVersion: "1.0",
  name: "takes",
  version: "1.0.0",
  description: "Takes much",
  tools: [
    {
      name: "count",
      description: "Counts",
      inputSchema: {
        type: "object",
        properties: { data: { type: ["string", "array", "object"], items: {} }, more: { type: "string", default: "d" } },
      },
      sideEffects: [],
    },
    { name: "none", description: "Takes nothing", inputSchema: { type: "object" }, sideEffects: [] },
  ],
};

const deep = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
const HOSTILE: readonly (readonly [name: string, data: string])[] = [
  [
    "many members",
    `[${Array.from({ length: 20 }, (_, at) => `{${Array.from({ length: 4_000 }, (_key, key) => `"${at}k${key}":1`).join(",")}}`).join(",")}]`,
  ],
  ["many empty lists", `[${"[],".repeat(240_000)}1]`],
  ["one long text of escapes", `"${"\\n".repeat(350_000)}"`],
  ["deep nesting, often", `[${Array.from({ length: 6_000 }, () => deep(40)).join(",")}]`],
];

describe("attack: four clients send hostile arguments at the same time", { timeout: 120_000 }, () => {
  let door: HttpDoorUnderTest;
  beforeAll(async () => {
    const platform = memoryPlatformWithWorkers({ "plugins/takes/manifest.json": JSON.stringify(MANIFEST), "plugins/takes/main.ts": MAIN });
    door = await httpDoor({ platform, plugins: "/workspace/plugins" });
    await door.ask("/v1/calls", { body: { tool: "takes.none" } });
  });
  afterAll(async () => await door[Symbol.asyncDispose]());

  it("parses, validates, hashes and writes them in slices, while other calls run [LV2.arguments, LV1]", async () => {
    const bodies = HOSTILE.map(([, data]) => `{"tool":"takes.count","args":{"data":${data}}}`);
    const ended: string[] = [];
    using reads = recordHostReads();
    const answers = bodies.map(async (body, at) => {
      const response = await door.request("/v1/calls", { body });
      ended.push(`large-${at}`);
      return response;
    });
    const small = door.request("/v1/calls", { body: { tool: "takes.none" } }).then(() => void ended.push("small"));
    const responses = await Promise.all(answers);
    await small;
    const longest = reads.longest();
    reads[Symbol.dispose]();
    expect(ended[0]).toBe("small");
    expect(longest).toBeLessThanOrEqual(AT_ONCE);
    const results = await Promise.all(responses.map(async (response) => (await response.json()) as object));
    expect(results).toMatchObject(HOSTILE.map(([, data]) => ({ ok: true, output: JSON.stringify(JSON.parse(data)).length })));
    expect(results).toMatchObject(HOSTILE.map(([, data]) => ({ arguments: { data: JSON.parse(data) as unknown, more: "d" } })));
  });

  it("recognizes a repeated call in another notation, and no other call [LV2.arguments, E6]", async () => {
    const text = "x".repeat(70_000);
    const first = await door.ask("/v1/calls", {
      body: `{"tool":"takes.count","callId":"same-call-1","args":{"data":"${text}","more":"1"}}`,
    });
    const again = await door.ask("/v1/calls", {
      body: `{ "callId":"same-call-1","args":{"more":"1","data":"${text}"},"tool":"takes.count"}`,
    });
    const other = await door.ask("/v1/calls", {
      body: `{"tool":"takes.count","callId":"same-call-1","args":{"data":"${text}","more":"2"}}`,
    });
    expect([first.status, again.body, other.status]).toEqual([200, first.body, 409]);
  });

  it("refuses an object of more than 10,000 members, and a body above its limit [LV2.arguments]", async () => {
    const members = Array.from({ length: 10_001 }, (_, key) => `"k${key}":1`).join(",");
    const many = await door.ask("/v1/calls", { body: `{"tool":"takes.count","args":{"data":{${members}}}}` });
    expect([many.status, many.body["detail"]]).toEqual([400, "An object of the body has more than 10000 members"]);
    using reads = recordHostReads();
    const large = await door.request("/v1/calls", { body: `{"tool":"${"x".repeat(4 * 1024 * 1024)}"}` });
    expect([large.status, reads.longest() <= AT_ONCE]).toEqual([413, true]);
  });

  it("shows an outline of them in events, with their size and hash [LV2.events]", async () => {
    const data = "y".repeat(100_000);
    const args = JSON.stringify({ data, more: "path/to/file" });
    const events: unknown[] = [];
    const stop = door.host.subscribe((event) => {
      if (event.type === "tool.called") events.push(event.payload);
    });
    await door.ask("/v1/calls", { body: `{"tool":"takes.count","args":${args}}` });
    stop();
    expect(events).toMatchObject([
      {
        arguments: { data: "[100000 characters]", more: "path/to/file" },
        largeArguments: { bytes: args.length, sha256: createHash("sha256").update(args).digest("hex") },
      },
    ]);
  });

  it("reads a runner's large line in slices, and the next lines after it [LV2.arguments, LV2.lines]", async () => {
    const { host, platform } = door;
    const [near, far] = createMemoryPair();
    const asked: string[] = [];
    const two = Promise.withResolvers<void>();
    const served = serveRunner({
      connection: near,
      slices: platform.slices,
      call: ({ id, tool, args }) => {
        if (asked.push(id) === 2) two.resolve();
        return host.call(tool, args);
      },
    });
    using reads = recordHostReads();
    far.send(`{"op":"tool_call","tool_call_id":"large","tool":"takes.count","args":{"data":${HOSTILE[1]?.[1] ?? ""}}}`);
    far.send('{"op":"tool_call","tool_call_id":"small","tool":"takes.none"}');
    await two.promise;
    expect([asked, reads.longest() <= AT_ONCE]).toEqual([["large", "small"], true]);
    far.close();
    await served;
  });
});
