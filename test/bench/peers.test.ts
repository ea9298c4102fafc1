import { describe, expect, it } from "vitest";
import { comparePeers } from "../../bench/peers/compare.ts";
import { PEERS } from "../../bench/peers/mod.ts";
import { nodeVm } from "../../bench/peers/node-vm.ts";
import { BASELINE, type Peer } from "../../bench/peers/peer.ts";
import { toMarkdown } from "../../bench/peers/table.ts";

const MISSING: Peer = { ...nodeVm, id: "missing", name: "missing" };

describe("the table of peers", () => {
  it("has a row for each peer, with the reason if it was not measured", () => {
    const rows = [
      { peer: "node-vm", tool: "echo", mode: "fresh", us: 412.4, ratio: 8.25 },
      { peer: "node-vm", tool: "words", mode: "fresh", us: 1_234, ratio: 0.041 },
      { peer: "node-vm", tool: "echo", mode: "warm", us: 3.2, ratio: 130 },
    ] as const;
    const absent = [{ peer: "missing", reason: `"x" is not installed (run npm --prefix bench/peers ci)` }];
    const result = { date: "2026-11-21", machine: "1 × x", node: "24", deno: "2", rounds: 3, rows, absent };
    expect(toMarkdown(result, [nodeVm, MISSING]).split("\n")).toEqual([
      "|  | echo, fresh | word count, fresh | echo, warm | word count, warm | fresh is a new | boundary | limits that hold | runs |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
      "| `node:vm` | 412 µs (8.3) | 1.2 ms (0.041) | 3.2 µs (130) | – | context | none | time, of code that does not wait | on the caller's thread |",
      `| missing | not measured: "x" is not installed (run npm --prefix bench/peers ci) |  |  |  | context | none | time, of code that does not wait | on the caller's thread |`,
      "",
      "Measured 2026-11-21 on 1 × x, Node 24, Deno 2: medians of 3 rounds.",
    ]);
  });

  it("starts with the baseline and lists each peer once", () => {
    expect(PEERS[0]?.id).toBe(BASELINE);
    expect(new Set(PEERS.map(({ id }) => id)).size).toBe(PEERS.length);
  });
});

describe("comparePeers()", () => {
  it("measures the peers with correct answers and reports the reason for others", { timeout: 60_000 }, async () => {
    const said: string[] = [];
    // A registered peer that needs no package, and a peer that the child does not know.
    const { rows, absent } = await comparePeers([nodeVm, MISSING], { rounds: 1, warmMs: 20, say: (line) => said.push(line) });
    expect(rows.map(({ peer, tool, mode }) => `${peer} ${tool} ${mode}`)).toEqual([
      "node-vm echo fresh",
      "node-vm echo warm",
      "node-vm words fresh",
      "node-vm words warm",
    ]);
    expect(rows.every(({ us }) => us > 0)).toBe(true);
    expect(absent).toEqual([{ peer: "missing", reason: `Error: Unknown peer "missing"` }]);
    expect(said).toEqual(["node-vm is warm", `missing: Error: Unknown peer "missing"`]);
  });
});
