import { describe, expect, it, onTestFinished } from "vitest";
import { serviceThreads } from "../../../host/host/service-entry.ts";
import { APPEND_TO_JOURNAL } from "../../../host/audit/journal-writer.ts";
import { createAudit } from "../../../host/audit/audit.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createService, type Service } from "../../../host/primitives/service/service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const CALLS = 2_000;
const platform = currentPlatform({ log: { level: "error" } });

describe("what a service thread found in the journal", () => {
  it("crosses as bytes, and is read in slices by the thread that asked [LV2.record]", async () => {
    const service = createService({
      threads: serviceThreads(platform),
      environment: platform,
      onDefect: (message) => expect.unreachable(message),
    });
    onTestFinished(() => service.close());
    const auditFolder = await temporaryFolder();
    const texts = Array.from({ length: CALLS }, (_, nth) => [
      event("tool.called", nth, { tool: "words.read", arguments: {} }),
      event("capability.used", nth, { permission: "read", value: `/w/${"x".repeat(100)}${nth}`, decision: "granted" }),
    ]).flat();
    await service.run(APPEND_TO_JOURNAL, { folder: auditFolder, texts, again: false, maximumFileBytes: 1e9 }, { owner: "test" });

    const seen: unknown[] = [];
    let pieces = 0;
    const audit = createAudit(
      {
        service: { ...service, run: watched(service, seen) },
        slices: { run: (work) => platform.slices.run({ next: () => (pieces++, work.next()) }) },
      },
      { auditFolder, checkpointFile: "/none" },
    );
    const { calls } = await audit.session("s");
    const { acts } = await audit.acts({ plugin: "words", bases: {}, requires: new Map() });
    expect([calls.length, calls.at(-1), acts.length, acts.at(-1)]).toEqual([
      CALLS,
      { callId: `c${CALLS - 1}`, tool: "words.read", plugin: "words", calledAt: 1, status: "running", granted: 1, refused: 0 },
      CALLS,
      { kind: "read", value: `/w/${"x".repeat(100)}${CALLS - 1}`, tool: "read", count: 1, refused: 0, calls: [`c${CALLS - 1}`] },
    ]);
    const parts = seen.flat();
    expect([parts.every((part) => part instanceof Uint8Array), parts.length > 50, pieces > 100]).toEqual([true, true, true]);
  });
});

function event(type: string, nth: number, payload: object): string {
  return JSON.stringify({
    id: `${type}${nth}`,
    type,
    time: 1,
    producer: "bascule",
    callId: `c${nth}`,
    sessionId: "s",
    plugin: "words",
    payload,
  });
}

function watched(service: Service, seen: unknown[]): Service["run"] {
  return (task, input, options) => {
    const answer = service.run(task, input, options);
    void answer.then((output) => seen.push(output)).catch(() => undefined);
    return answer;
  };
}
