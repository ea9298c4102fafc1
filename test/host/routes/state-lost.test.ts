import { expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { MAXIMUM_STATES } from "../../../sandbox/image/session-states.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "counter",
  version: "1.0.0",
  description: "Counts",
  state: "session",
  tools: [
    { name: "count", description: "Counts", sideEffects: [], inputSchema: { type: "object", properties: { fail: { type: "boolean" } } } },
  ],
};
const CODE = `let made = 0; export function count({ fail }: { fail?: boolean }) { if (fail) throw new Error("no"); return ++made; }`;

it("says in the result and in the log that a session's state was lost, until there is one again [B2.lost]", async () => {
  const platform = memoryPlatformWithWorkers({
    "plugins/counter/manifest.json": JSON.stringify(MANIFEST),
    "plugins/counter/main.ts": CODE,
  });
  await using host = await createHost({ platform, plugins: "plugins", config: {} });
  const session = host.session();
  const count = async (args = {}, of = session): Promise<unknown> => {
    const { output, metadata } = await host.call("counter.count", args, { session: of });
    return [output, metadata];
  };
  expect([await count(), await count()]).toEqual([
    [1, {}],
    [2, {}],
  ]);
  for (let index = 0; index < MAXIMUM_STATES; index++) await count({}, host.session());
  const stateLost =
    "The plugin's state of this session was lost, and the call began afresh: room was needed, its process ended, or the plugin was reloaded";
  expect([await count({ fail: true }), await count(), await count()]).toEqual([
    [null, { stateLost }],
    [1, { stateLost }],
    [2, {}],
  ]);
  expect(platform.recorded.log.flatMap(({ level, message }) => (level === "warn" && !message.includes(".") ? [message] : []))).toEqual([
    stateLost,
    stateLost,
  ]);
});
