import { describe, expect, it } from "vitest";
import { HAS_NATS, NATS_TITLE } from "../support/nats-server.ts";
import { soakCluster } from "./cluster.ts";

describe.skipIf(!HAS_NATS)(NATS_TITLE, () => {
  // The long run: `npm run soak -- --cluster 100000`.
  it(
    "answers every call once, with at most one effect, while members and the server are killed [CL8.kills]",
    { timeout: 180_000 },
    async () => {
      const { wrong, counts } = await soakCluster({ calls: 800, seed: 7, atOnce: 64, killMs: 700 });
      expect(wrong).toEqual([]);
      expect(counts["member killed"]).toBeGreaterThan(0);
      expect(counts["answered"]).toBeGreaterThan(500);
    },
  );
});
