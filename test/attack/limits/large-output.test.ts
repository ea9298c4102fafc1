import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host, type ToolResult } from "../../../host/mod.ts";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const MIB = 1024 * 1024;
/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = 64 * 1024 + 4_096;

/** Outputs within default limits, and with `raised` in the name above them. Each is one tool. */
const TOOLS = {
  keys: `return Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => ["k" + i, i]));`,
  empty_objects: `return new Array(300_000).fill(0).map(() => ({}));`,
  text: `return "ü\\"\\n".repeat(150_000);`,
  digits: `return new Array(100_000).fill(12345678);`,
  image: `return context.output({ output: "see", content: [{ type: "image", data: "AAAA".repeat(150_000), mimeType: "image/png" }] });`,
  metadata: `return context.output({ output: 1, metadata: { all: new Array(50_000).fill("x") } });`,
  failure: `return context.output({ output: new Array(200_000).fill({}), success: false });`,
  of_other_shape: `return Array.from({ length: 100_000 }, (_, i) => (i === 99_999 ? "last" : i));`,
  raised_keys: `return Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => ["k" + i, 1]));`,
  raised_objects: `return new Array(5_000_000).fill({});`,
} as const;
type Tool = keyof typeof TOOLS;
const FAILING: ReadonlyMap<Tool, string> = new Map([
  ["failure", "tool_failed"],
  ["of_other_shape", "invalid_output"],
]);

function planted(): Readonly<Record<string, string>> {
  const schema = (name: string): object =>
    name === "of_other_shape" ? { outputSchema: { type: "array", items: { type: "integer" } } } : {};
  const manifest = {
    schemaVersion: "1.0",
    name: "large",
    version: "1.0.0",
    description: "Answers much",
    limits: RAISED,
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: "Answers much",
      inputSchema: { type: "object" },
      sideEffects: [],
      ...schema(name),
    })),
  };
  const main = Object.entries(TOOLS).map(([name, body]) => `export function ${name}(_args, context) { ${body} }`);
  return { "plugins/large/manifest.json": JSON.stringify(manifest), "plugins/large/main.ts": main.join("\n") };
}

const RAISED = { outputBytes: 16 * MIB, memoryBytes: 512 * MIB, cpuMs: 60_000, wallMs: 120_000 };

describe("attack: an output above 64 KB", { timeout: 180_000 }, () => {
  let host: Host;
  const events: HostEvent[] = [];
  beforeAll(async () => {
    const platform = memoryPlatform(planted(), { workers: createWorkerLauncher() });
    host = await createHost({
      platform,
      plugins: ["plugins"],
      config: { policy: { rules: [{ plugin: "large", limits: RAISED }] } },
      events: { publish: (event) => void events.push(event) },
    });
  });
  afterAll(async () => await host.close());

  /** Calls a tool while it records the work of the host's thread. */
  async function watched(
    name: Tool,
  ): Promise<{ readonly result: ToolResult; readonly longest: number; readonly event: HostEvent | undefined }> {
    await host.call("large.none");
    events.length = 0;
    const session = host.session({ resultBytes: 64 * MIB });
    using reads = recordHostReads();
    const result = await host.call(`large.${name}`, {}, { session });
    return { result, longest: reads.longest(), event: events.find(({ type }) => type === "tool.completed" || type === "tool.failed") };
  }

  it.each(Object.keys(TOOLS) as Tool[])(
    "%s: no part of it is parsed, decoded or written at once on the host's thread [LV2.outputs]",
    async (name) => {
      const { result, longest, event } = await watched(name);
      expect(result.ok ? undefined : result.error.code).toBe(FAILING.get(name));
      expect(result.limitsUsed.outputBytes).toBeGreaterThan(AT_ONCE);
      expect(longest).toBeLessThanOrEqual(AT_ONCE);
      expect(JSON.stringify(event).length).toBeLessThanOrEqual(AT_ONCE);
    },
  );

  it("is unchanged for the embedder, and the same value on every read [LV2.lazy]", async () => {
    const { result } = await watched("keys");
    if (!result.ok) throw new Error(result.error.message);
    const wanted = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, index]));
    const { output } = result;
    expect(output).toEqual(wanted);
    expect(result.output).toBe(output);
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ ok: true, output: wanted });
    expect((await watched("text")).result).toMatchObject({ ok: true, output: 'ü"\n'.repeat(150_000) });
    expect((await watched("image")).result).toMatchObject({
      content: [{ type: "image", data: "AAAA".repeat(150_000), mimeType: "image/png" }],
    });
    expect((await watched("metadata")).result).toMatchObject({ output: 1, metadata: { all: Array.from({ length: 50_000 }, () => "x") } });
    expect((await watched("failure")).result).toMatchObject({
      ok: false,
      error: { code: "tool_failed", details: { output: Array.from({ length: 200_000 }, () => ({})) } },
    });
  });

  it("is a note in its event, whose handle the session can read [LV2.events]", async () => {
    events.length = 0;
    const session = host.session({ resultBytes: 64 * MIB });
    const result = await host.call("large.digits", {}, { session });
    const text = JSON.stringify(Array.from({ length: 100_000 }, () => 12_345_678));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    const note = {
      bytes: text.length,
      sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""),
      handle: expect.any(String),
    };
    const payload = events.find(({ type }) => type === "tool.completed")?.payload as { readonly large?: { readonly handle?: string } };
    expect(payload).toMatchObject({ tool: "large.digits", output: null, large: note });
    expect(result).toMatchObject({ ok: true });
    expect(host.readResult(payload.large?.handle ?? "", { session, length: 20 })).toEqual({
      text: text.slice(0, 20),
      offset: 0,
      totalBytes: text.length,
      nextOffset: 20,
    });
    expect(host.readResult(payload.large?.handle ?? "", { session: host.session() })).toBeUndefined();
  });

  it("is validated against the tool's schema in the worker [LV2.schema]", async () => {
    expect((await watched("of_other_shape")).result).toMatchObject({
      ok: false,
      error: { code: "invalid_output", details: { errors: [{ pointer: "/99999", message: "Is string, not integer" }] } },
    });
  });

  it("is cut as bytes for a session with a lower limit [LV2.capped]", async () => {
    const session = host.session({ resultBytes: 100_000 });
    using reads = recordHostReads();
    const results = { text: await host.call("large.text", {}, { session }), keys: await host.call("large.keys", {}, { session }) };
    expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
    const [part] = results.text.truncated ?? [];
    expect(results.text.output).toMatch(/^(?:ü"\n)+ü?"?\n\[\d+ of 600000 bytes are shown; the rest is omitted: read on with read_result /u);
    expect(part).toMatchObject({ part: "output", bytes: 600_000, handle: expect.any(String) });
    expect(results.keys.output).toMatchObject({
      truncated: true,
      type: "object",
      members: 60_000,
      preview: expect.stringMatching(/^\{"k0":0,"k1":1,/),
    });
  });
});
