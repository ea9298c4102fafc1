/** Texts from callers and guests in the journal cannot control the terminal of the user who reads it. */

import { describe, expect, it } from "vitest";
import { main } from "../../../host/doors/cli/main.ts";
import { createHost, functionTool } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const EVIL = "\x1b]0;owned\x07\x1b[2J\nnext\u202e\x9b2J";

describe("recorded texts", () => {
  it.each(["tail", "search", "export", "session"])(
    "are escaped by audit %s, including ids of callers [G2.terminal] [AU3.cli]",
    async (act) => {
      const platform = memoryPlatform({ "bascule.json": "{}" });
      const tool = functionTool(
        () => {
          throw new Error(EVIL);
        },
        { name: "evil", description: "Fails", sideEffects: [] },
      );
      const host = await createHost({ platform, config: "/workspace/bascule.json", plugins: [], tools: [tool], events: { store: true } });
      const session = host.session({ context: { agentId: EVIL } });
      expect((await host.call("evil", {}, { session, callId: EVIL })).ok).toBe(false);
      expect((await host.call(`none${EVIL}`, {}, { session })).ok).toBe(false);
      await host.audit.flush();
      await host.close();
      // Memory journals are not files, so create one for the command to find.
      platform.plant("/workspace/.bascule/audit/000000000001.db", "");

      expect(await main(["audit", act, ...(act === "session" ? [session.id] : [])], platform)).toBe(0);
      const shown = platform.recorded.out() + platform.recorded.error();
      expect(shown).toContain("owned");
      expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(shown.split("\n").every((line) => !line.startsWith("next"))).toBe(true);
    },
  );
});
