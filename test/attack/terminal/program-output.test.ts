/** The output of a program cannot control the user's terminal. */

import { describe, expect, it } from "vitest";
import { main } from "../../../host/doors/cli/main.ts";
import { openTrustStore } from "../../../host/project/trust/trust-store.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\rover\u202e\x9b2J\b\b";

describe("the output of a program", () => {
  it("is escaped on the terminal, during the run and at its end [G2.terminal]", async () => {
    const platform = memoryPlatform(
      {
        "bascule.json": JSON.stringify({
          policy: { rules: [{ tool: "shell", allow: true, grants: { run: ["evil"] } }] },
          confirmation: { default: { execute: "auto" } },
        }),
      },
      { programs: { "/usr/bin/evil": ({ write }) => (write(EVIL), write(EVIL, "stderr"), 0) } },
    );
    const trust = await openTrustStore(platform, WORKSPACE);
    await trust.change((before) => ({ ...before, all: true }));
    expect(await main(["call", "shell", "command=evil"], platform)).toBe(0);
    const shown = platform.recorded.out() + platform.recorded.error();
    expect(shown).toContain("\\x1b]0;owned\\x07");
    expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(platform.recorded.error()).toContain("owned");
  });
});
