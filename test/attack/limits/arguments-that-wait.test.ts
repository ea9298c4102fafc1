/** A client lets calls with large arguments wait for slots and confirmations, in any number of sessions. */

import { describe, expect, it } from "vitest";
import { WAITING_ARGUMENTS } from "../../../host/dispatch/waiting-arguments.ts";
import { createSession, type Session } from "../../../host/call/session.ts";
import { testHost } from "../../support/test-host.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const WITHIN = { timeout: 20_000 };
const MIB = 1024 * 1024;
const TEXT = "x".repeat(MIB - 64);
const MOST = WAITING_ARGUMENTS.owner / MIB;

describe("attack: calls with large arguments that wait", { timeout: 60_000 }, () => {
  it("have a bounded size for each owner, whatever its sessions, and count until they begin or end [LV3.arguments]", async () => {
    const go = Promise.withResolvers<void>();
    const stop = new AbortController();
    const { calls, registry } = testHost();
    registry.register(
      hostTool("takes", { inputSchema: { type: "object", properties: { text: { type: "string" } } } }, () => go.promise.then(() => null)),
    );
    const sessionOf = (id: string, owner: string): Session => createSession({ id, owner, workspace: WORKSPACE, concurrency: 1 });
    const call = (session: Session, text = TEXT, signal?: AbortSignal): Promise<string> =>
      calls.call("takes", { text }, { session, ...(signal && { signal }) }).then((result) => (result.ok ? "ok" : result.error.code));

    const [first, second] = [sessionOf("one", "evil"), sessionOf("two", "evil")];
    const begun = [call(first), call(second)];
    const running = (): number => first.slots.running + second.slots.running;
    await expect.poll(running, WITHIN).toBe(2);
    const waiting = Array.from({ length: MOST }, (_, at) =>
      at === 0 ? call(first, TEXT, stop.signal) : call(at % 2 === 0 ? first : second),
    );
    await expect.poll(() => first.slots.waiting + second.slots.waiting, WITHIN).toBe(MOST);
    expect(await call(second)).toBe("overloaded");
    expect(await calls.call("takes", { text: TEXT }, { session: first })).toMatchObject({
      error: {
        code: "overloaded",
        message: `Waiting calls of the session's owner hold all of the 64 MiB for their arguments (call again when some have started)`,
      },
    });
    // A call that ends while it waits makes room for another.
    stop.abort();
    expect(await waiting[0]).toBe("cancelled");
    waiting[0] = call(first);
    await expect.poll(() => first.slots.waiting + second.slots.waiting, WITHIN).toBe(MOST);
    // Not counted: small arguments, those of another owner, and those of running calls.
    const small = call(first, "short");
    const other = sessionOf("three", "other");
    const others = [call(other), call(other)];
    go.resolve();
    expect(await Promise.all([...begun, ...waiting, small, ...others])).toEqual(Array.from({ length: MOST + 5 }, () => "ok"));
    expect(await call(second)).toBe("ok");
  });
});
