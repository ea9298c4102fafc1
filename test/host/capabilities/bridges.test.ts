import { describe, expect, it } from "vitest";
import { BRIDGES } from "../../../host/capabilities/mod.ts";
import { describeBridge, describeUnknownOperations } from "../../conformance/bridge.ts";

/** For each bridge that needs a grant: an operation that nothing grants. */
const REFUSED = {
  fs: {
    operation: "fs.readFile",
    args: { path: "a.txt" },
    message: /^Requires read access to "a\.txt", grant it with: bascule grant words --allow-read='\$workspace\/a\.txt'$/,
  },
  net: {
    operation: "net.fetch",
    args: { id: 1, url: "https://example.com/a", method: "GET", headers: [], redirect: "follow", body: "none" },
    message: /^Requires net access to "example\.com:443", grant it with: bascule grant words --allow-net=example\.com:443$/,
  },
  env: {
    operation: "env.get",
    args: { name: "A" },
    message: /^Requires env access to "A", grant it with: bascule grant words --allow-env='?A'?$/,
  },
  workspace: {
    operation: "workspace.write",
    args: { path: "b.txt" },
    message: /^Requires write access to "b\.txt", grant it with: bascule grant words --allow-write='\$workspace\/b\.txt'$/,
  },
  tools: {
    operation: "tools.call",
    args: { name: "words.grep", args: { pattern: "x" } },
    message: /^Requires tools access to "words\.grep", grant it with: bascule grant words --allow-tools=words\.grep$/,
  },
} as const;

for (const bridge of BRIDGES) {
  describeBridge(bridge, Object.hasOwn(REFUSED, bridge.name) ? REFUSED[bridge.name as keyof typeof REFUSED] : undefined);
}

describe("answerOperation()", () => {
  describeUnknownOperations();

  it("registers each operation once", () => {
    const names = BRIDGES.flatMap((bridge) => Object.keys(bridge.operations));
    expect(new Set(names).size).toBe(names.length);
  });
});
