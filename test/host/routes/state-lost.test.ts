import { expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { MAXIMUM_STATES } from "../../../sandbox/pool/session-states.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "counter",
  version: "1.0.0",
  description: "Counts",
  state: "session",
  tools: [
    {
      name: "count",
      description: "Counts",
      sideEffects: [],
      inputSchema: { type: "object", properties: { fail: { type: "boolean" }, bytes: { type: "integer" } } },
    },
  ],
};
const CODE = `
let made = 0;
const kept: Uint8Array[] = [];
export function count({ fail, bytes }: { fail?: boolean; bytes?: number }) {
  if (fail) throw new Error("no");
  if (bytes) kept.push(new Uint8Array(bytes).fill(1));
  return ++made;
}`;

it("reports a lost session state in the result and in the log until a call leaves state again [B2.lost]", async () => {
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
    "The plugin's session state was lost and the call started with fresh state: the state was too large or evicted, its process ended, or the plugin was reloaded";
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

it("returns the output of a call that leaves too much state and reports the size and the limit [B2.too-large]", async () => {
  const platform = memoryPlatformWithWorkers({
    "plugins/counter/manifest.json": JSON.stringify(MANIFEST),
    "plugins/counter/main.ts": `// Too large\n${CODE}`,
  });
  await using host = await createHost({ platform, plugins: "plugins", config: {} });
  const session = host.session();
  const count = async (args = {}): Promise<unknown> => {
    const { output, metadata } = await host.call("counter.count", args, { session });
    return [output, metadata];
  };
  const tooLarge = expect.stringMatching(
    /^The plugin's session state takes 3\d{7} bytes, more than the 33554432 that are kept: the next call starts with fresh state \(keep less between calls; freed memory counts too\)$/,
  ) as string;
  const lost = expect.stringContaining("started with fresh state: the state was too large") as string;
  expect([await count(), await count({ bytes: 33 << 20 }), await count(), await count()]).toEqual([
    [1, {}],
    [2, { stateLost: tooLarge }],
    [1, { stateLost: lost }],
    [2, {}],
  ]);
  expect(platform.recorded.log.flatMap(({ level, message }) => (level === "warn" && message.includes("session") ? [message] : []))).toEqual(
    [tooLarge, lost],
  );
});
