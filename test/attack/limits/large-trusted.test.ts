import { describe, expect, it } from "vitest";
import { LARGE_BYTES } from "../../../sandbox/mod.ts";
import { copyJson } from "../../../host/primitives/json/json.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runTrusted, toolBody } from "../../support/trusted-call.ts";

/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = LARGE_BYTES + 4_096;
const TEXT = "ü is a letter of a line with some forty others\n".repeat(12_500);
const BODY = `
  const text = args.data.join("");
  await context.workspace.write("a.txt", text);
  const back = await context.workspace.read("a.txt");
  const patched = await context.workspace.patch("a.txt", text, back + "!").then(async () => (await context.workspace.read("a.txt")).length, ({ message }) => message);
  console.info("x".repeat(100_000));
  const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => ["k" + at, at]));
  const output = { same: back === text, length: back.length, patched, keys };
  if (args.how === "parts") return context.output({ output, content: [{ type: "text", text: back }], commandExecuted: "none" });
  if (args.how === "fails") return context.output({ success: false, output: { message: back, keys } });
  return output;
`;
const KEYS = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, at]));

describe("attack: a trusted plugin's process, with large values in both directions", { timeout: 60_000 }, () => {
  it.each(["plain", "parts", "fails"])("reads, writes and decodes them in slices: %s [LV2.process]", async (how) => {
    const folder = await temporaryFolder();
    const copy = copyJson({ how, data: TEXT.match(/[^]{1,50}/g) }, { maxBytes: 2 ** 24, maxDepth: 8 });
    if (!copy.ok) throw new Error(copy.problem.message);
    using reads = recordHostReads();
    const { outcome } = await runTrusted(toolBody(BODY), {
      workspace: folder,
      confinement: "none",
      args: copy.value,
      permissions: { read: ["$workspace"], write: ["$workspace"] },
      limits: { outputBytes: 2 ** 23 },
    });
    const longest = reads.longest();
    reads[Symbol.dispose]();
    const parts = new Map(outcome.parts?.map(({ at, bytes }) => [at, new TextDecoder().decode(bytes)]));
    const told = { same: true, length: TEXT.length, patched: TEXT.length + 1, keys: KEYS };
    if (how === "fails") {
      expect(outcome.ok ? undefined : outcome.error.message.slice(0, 5_000)).toBe(`${TEXT.slice(0, 4_000)}…`);
      expect(JSON.parse(parts.get("error/details/output") ?? "")).toEqual({ message: TEXT, keys: KEYS });
    } else {
      expect([outcome.ok, outcome.ok ? outcome.output : outcome.error]).toEqual([true, null]);
      expect(JSON.parse(parts.get("output") ?? "")).toEqual(told);
      expect(parts.get("content/0/text")).toBe(how === "parts" ? TEXT : undefined);
    }
    expect(longest).toBeLessThanOrEqual(AT_ONCE);
  });
});
