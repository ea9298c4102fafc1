import { describe, expect, it } from "vitest";
import { createSharedSandbox } from "../../../sandbox/pool/shared-sandbox.ts";
import type { Sandbox } from "../../../sandbox/pool/sandbox.ts";
import type { LoadOutcome, PluginSource } from "../../../sandbox/wire/invocation.ts";

/** Records what reaches the sandbox below. */
function recording(outcome: LoadOutcome = { ok: true, loadMs: 0, imageBytes: 1 }): { readonly sandbox: Sandbox; readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    sandbox: {
      load: ({ digest }) => Promise.resolve((calls.push(`load ${digest}`), outcome)),
      invoke: () => Promise.reject(new Error("Not used here")),
      unload: (digest) => void calls.push(`unload ${digest}`),
      endSession: (session) => void calls.push(`end ${session}`),
      close: () => Promise.resolve(void calls.push("close")),
    },
  };
}

function source(digest: string): PluginSource {
  return { digest, name: "demo", files: new Map(), modules: new Map(), memoryBytes: 1, loadMs: 1 };
}

describe("createSharedSandbox()", () => {
  it("unloads an image with the last host that loaded it [I7.warm]", async () => {
    const { sandbox, calls } = recording();
    const shared = createSharedSandbox(sandbox);
    const [first, second] = [shared.open(), shared.open()];
    await first.load(source("a"));
    await second.load(source("a"));
    await second.load(source("b"));
    first.unload("a");
    // A digest that this host has not loaded.
    first.unload("b");
    expect(calls).toEqual(["load a", "load a", "load b"]);
    await second.close();
    expect(calls.slice(3)).toEqual(["unload a", "unload b"]);
    await shared.close();
    expect(calls.slice(5)).toEqual(["close"]);
  });

  it("keeps nothing of a load that failed [I7.warm]", async () => {
    const { sandbox, calls } = recording({ ok: false, fault: { kind: "syntax", message: "wrong" } });
    const own = createSharedSandbox(sandbox).open();
    expect(await own.load(source("a"))).toMatchObject({ ok: false });
    await own.close();
    expect(calls).toEqual(["load a", "unload a"]);
  });
});
