import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { type ChainHost, chainHost } from "../../support/chain-host.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { hostTool } from "../../support/tools.ts";

/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = 64 * 1024 + 4_096;
const SERVED = `
export const keys = () => Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => ["k" + i, i]));
export const text = () => "ü is a letter of a line with some forty others\\n".repeat(12_500);
export const small = () => ["small"];
`;
const ASKING = `
export async function ask({ tool }, { tools }) {
  const output = await tools.call(tool);
  const text = JSON.stringify(output);
  return { length: text.length, first: text.slice(0, 24), last: text.slice(-12) };
}
export async function twice({ tool }, { tools }) {
  const [one, two] = await Promise.all([tools.call(tool), tools.call(tool)]);
  return JSON.stringify(one) === JSON.stringify(two);
}
`;
const told = (value: unknown): object => {
  const text = JSON.stringify(value);
  return { length: text.length, first: text.slice(0, 24), last: text.slice(-12) };
};
const KEYS = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, index]));
const TEXT = "ü is a letter of a line with some forty others\n".repeat(12_500);
const ANSWERS = { keys: told(KEYS), text: told(TEXT), small: told(["small"]) };

async function chain(options: Parameters<typeof chainHost>[1] = {}): Promise<ChainHost> {
  return await chainHost(
    {
      asking: { main: ASKING, tools: { ask: {}, twice: {} }, calls: ["served.*"] },
      served: { main: SERVED, tools: { keys: {}, text: {}, small: {} } },
    },
    options,
  );
}

/** Calls a tool while it records the work of the host's thread. */
async function watched(call: () => Promise<{ readonly output: unknown }>): Promise<{ readonly output: unknown; readonly longest: number }> {
  using reads = recordHostReads();
  const { output } = await call();
  return { output, longest: reads.longest() };
}

describe("attack: a step returns more than 64 KB", { timeout: 60_000 }, () => {
  it("reaches the calling tool as bytes [LV2.steps] [C9.output]", async () => {
    await using made = await chain();
    const { host } = made;
    await host.call("asking.ask", { tool: "served.small" });
    for (const tool of ["keys", "text", "small"] as const) {
      const { output, longest } = await watched(() => host.call("asking.ask", { tool: `served.${tool}` }));
      expect([tool, output, longest <= AT_ONCE]).toEqual([tool, ANSWERS[tool], true]);
    }
    expect((await host.call("asking.twice", { tool: "served.keys" })).output).toBe(true);
  });

  it("does not affect the session's kept results [LV2.steps] [X6]", async () => {
    await using made = await chain();
    const { host, events } = made;
    const session = host.session({ resultBytes: 64 * 1024 * 1024 });
    await host.call("asking.ask", { tool: "served.text" }, { session });
    const completed = events.find((event: HostEvent) => event.type === "tool.completed");
    const payload = completed?.payload as { readonly large?: { readonly handle?: string } } | undefined;
    const large = payload?.large;
    expect(large).toMatchObject({ bytes: 600_000 });
    expect(host.readResult(large?.handle ?? "", { session, length: 7 })).toMatchObject({ text: "ü is a", totalBytes: 600_000 });
  });

  it("is read in slices for a host tool, which gets the value [LV2.steps]", async () => {
    const outputs: unknown[] = [];
    const taking = hostTool("taking", { permissions: { tools: ["served.*"] } }, async (_args, { tools }) => {
      for (const tool of ["served.keys", "served.text", "served.small"]) outputs.push(await tools?.call(tool));
      return "took";
    });
    await using made = await chain({ tools: [taking] });
    const { output, longest } = await watched(() => made.host.call("taking"));
    expect([output, longest <= AT_ONCE]).toEqual(["took", true]);
    expect(outputs).toEqual([KEYS, TEXT, ["small"]]);
  });
});
