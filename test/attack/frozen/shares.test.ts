import { describe, expect, it } from "vitest";
import { createFrozenCalls } from "../../../host/effects/frozen/frozen-calls.ts";
import { createSealedStore } from "../../../host/primitives/state/sealed-store.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

describe("a plugin whose calls all wait", { timeout: 60_000 }, () => {
  it("leaves room for the calls of others, and gets room back [FR4.shares]", async () => {
    const platform = memoryPlatform();
    const { states, files, random } = platform;
    const defects: string[] = [];
    const onDefect = (message: string): void => void defects.push(message);
    const store = createSealedStore({ states, files, folder: "/kept", keyFile: "/key", newId: random.uuidv7, onDefect });
    const calls = createFrozenCalls({ platform, store: store.space("call"), pending: { list: () => [] }, onDefect });
    const facts = { holdsMore: () => false, pending: () => Promise.resolve(undefined), filesModified: () => [] };
    const freeze = async (plugin: string, callId: string): Promise<void> => {
      const tool = { id: plugin, qualifiedName: `${plugin}.nap`, plugin, definition: {}, binding: { kind: "unavailable" } };
      const call = { callId, tool: tool.qualifiedName, args: {}, session: { id: "s" } };
      const freezing = calls.freezing({ call, tool, args: {} } as never, facts);
      expect(await freezing?.isReady()).toBe(true);
      freezing?.freeze(new Uint8Array(10), 60_000);
    };
    for (let index = 0; index < 5_001; index++) await freeze("greedy", `greedy ${index}`);
    expect(defects).toEqual([expect.stringContaining('5000 calls of "greedy"')]);
    expect(calls.isWaiting("greedy 5000")).toBe(false);
    // One that is kept already is kept again.
    await freeze("greedy", "greedy 0");
    await freeze("modest", "modest");
    expect([calls.isWaiting("greedy 0"), calls.isWaiting("modest")]).toEqual([true, true]);
    calls.forget("greedy 1");
    await freeze("greedy", "greedy 5001");
    expect([calls.isWaiting("greedy 5001"), defects.length]).toEqual([true, 1]);
    store.close();
  });
});
