import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDenoPermissions } from "../../manifests/mod.ts";
import "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createBasculeOracle } from "./bascule-answer.ts";
import { askDeno, prepareFolder } from "./deno-answer.ts";
import { nameDifference } from "./differences.ts";
import { inFolder, oracleCase, type OraclePolicy } from "./policy.ts";

/** Concern the wording of queries, so that no export can express them. */
const UNAVOIDABLE = new Set(["run-names-are-not-looked-up", "run-denials-are-broad", "run-names-protect-every-file", "host-spelling"]);

describe("toDenoPermissions(), run by the deno binary", () => {
  it("never lets Deno grant what bascule does not [PA1.export]", { timeout: 240_000 }, async () => {
    const folder = await temporaryFolder();
    await prepareFolder(folder);
    let granted = 0;
    await fc.assert(
      fc.asyncProperty(oracleCase(400), async (drawn) => {
        const { policy, queries } = inFolder(drawn, folder);
        // An export may contain what Deno reads.
        const exported = toDenoPermissions(policy, { base: folder }, (path) => path).permissions as OraclePolicy;
        const answers = await askDeno({ by: "set", policy: exported, queries }, folder);
        const own = createBasculeOracle(policy, folder);
        const wider = queries.flatMap((descriptor, index) => {
          const [deno, bascule] = [answers[index] ?? { error: "Missing", message: "" }, own(descriptor)];
          if (!("state" in deno) || deno.state !== "granted") return [];
          granted += 1;
          if ("state" in bascule && bascule.state === "granted") return [];
          const name = nameDifference({ policy, descriptor, deno, bascule, folder });
          const isLeftToDeno = name === "import-default-hosts" && policy.import === undefined;
          return isLeftToDeno || (name !== undefined && UNAVOIDABLE.has(name))
            ? []
            : [{ descriptor, set: policy[descriptor.name], exported: exported[descriptor.name], bascule }];
        });
        expect(wider).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(granted).toBeGreaterThan(2_000);
  });
});
