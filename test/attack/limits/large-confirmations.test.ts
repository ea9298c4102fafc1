import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { questionLines } from "../../../host/doors/cli/confirm.ts";
import { createOutput } from "../../../host/doors/cli/output.ts";
import type { PendingConfirmation } from "../../../host/confirmations/pending.ts";
import { confirmationForm } from "../../../host/doors/mcp/confirmation.ts";
import { type ConfirmationRequest, createHost } from "../../../host/mod.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { httpDoor, TOKENS } from "../../support/http-door.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

/** Maximum size that doors pass on at once. */
const AT_ONCE = 64 * 1024 + 4_096;
const PATHS = Array.from({ length: 400 }, (_, index) => `file-${index}`);
const ARGS = { data: "é".repeat(200_000), paths: PATHS };
const CANONICAL = JSON.stringify(ARGS);
const noteOf = (text: string): object => ({ bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") });
const RESOLVED = JSON.stringify({ data: ARGS.data, paths: PATHS.map((path) => `/workspace/${path}`) });
/** 256 values: the object, the text, the list, and the rest for paths. */
const OUTLINE = { data: "[200000 characters]", paths: PATHS.slice(0, 253) };

const lengthOf = ({ data }: { readonly data?: string }): number => data?.length ?? 0;
const CHANGE = hostTool("change", { sideEffects: ["write"] }, (args) => lengthOf(args as { data?: string }));

describe("attack: a confirmation of arguments above 64 KB", () => {
  it("is listed with an outline, size and hash, and an approval covers all of them [LV2.confirmations, E3]", async () => {
    await using door = await httpDoor({ tools: [CHANGE] });
    using reads = recordHostReads();
    const response = await door.request("/v1/calls", { body: `{"tool":"change","args":${CANONICAL}}` });
    const callId = response.headers.get("location");
    const bytes = await (await door.request("/v1/confirmations", { token: TOKENS.admin })).arrayBuffer();
    expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
    reads[Symbol.dispose]();
    const { confirmations } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly confirmations: readonly PendingConfirmation[] };
    expect(confirmations).toMatchObject([{ request: { args: OUTLINE, largeArguments: noteOf(CANONICAL) } }]);
    const { requestId, hash } = confirmations[0]?.request ?? {};
    await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { approve: true, hash } });
    await expect.poll(async () => (await door.ask(callId ?? "")).body).toMatchObject({ ok: true, output: 200_000 });
  });

  it("is shown as an outline on a terminal and by an MCP client; the embedding program gets the arguments [LV2.confirmations]", async () => {
    const requires = [{ capability: "write" as const, arg: "paths" }];
    const inputSchema = {
      type: "object",
      properties: { data: { type: "string" }, paths: { type: "array", items: { type: "string" } } },
    } as const;
    const platform = memoryPlatform();
    await using host = await createHost({
      platform,
      tools: [hostTool("change", { sideEffects: ["write"], requires, inputSchema }, () => 1)],
    });
    const asked: ConfirmationRequest[] = [];
    const events: unknown[] = [];
    host.subscribe(({ type, payload }) => void (type === "tool.confirmation_requested" && events.push(payload)));
    await host.call("change", ARGS, { confirm: (request) => Promise.resolve(asked.push(request) > 1) });
    const [request] = asked;
    if (request === undefined) throw new Error("No confirmation was requested");
    expect(request).toMatchObject({ args: JSON.parse(RESOLVED) as unknown, largeArguments: noteOf(RESOLVED) });
    const { bytes, sha256 } = request.largeArguments ?? {};
    using reads = recordHostReads();
    const lines = questionLines(request, createOutput(platform, { json: false, color: false, program: "bascule" }));
    const { message } = confirmationForm(request);
    expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
    reads[Symbol.dispose]();
    for (const text of [lines.join("\n"), message]) {
      expect(text).toContain("[200000 characters]");
      expect(text).toContain(`${bytes} bytes`);
      expect(text).toContain(sha256);
    }
    expect(events).toMatchObject([{ projectedModifications: { length: 255 } }]);
  });
});
