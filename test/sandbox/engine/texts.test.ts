import { describe, expect, it } from "vitest";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { loadInThread, meteredModule } from "../../support/in-thread.ts";

/** Arguments whose JSON text has about the length up to which texts are written without the encoder. */
const TEXTS = [
  "",
  "a",
  "é",
  "😀",
  "\u0000",
  "\ud800",
  ...[18, 19, 20, 21, 22, 23, 40].flatMap((length) => ["a".repeat(length), `${"a".repeat(length)}é`]),
];

describe("texts passed to a guest", () => {
  it("arrive unchanged, short or long, with any characters [B5.text]", async () => {
    const plugin = await loadInThread("export const echo = ({ t }) => [t, t.length];", trackedRestore, { module: meteredModule });
    for (const t of TEXTS) {
      expect(JSON.parse(plugin.call("echo", { t }).slice(1))).toEqual({ o: [t, t.length] });
      plugin.restore();
    }
  });
});
