/** Runs part of `npm run fuzz -- --only journal`: damaged and edited journals. */

import { describe, expect, it } from "vitest";
import { checkExport, exportLines } from "../../host/audit/export.ts";
import { verifyTask } from "../../host/audit/journal-reader.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { FUZZ_SEED } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { checkDamage, checkEdit, createSample, keyOf, type Sample } from "./journal-check.ts";
import { createRandom } from "./random.ts";

const { journals, files, clock } = currentPlatform();
const env = { ...currentPlatform(), now: clock.monotonic, turn: () => Promise.resolve() };
const KINDS: readonly [what: string, isCut: boolean][] = [
  ["with all its files", false],
  ["shortened to make space", true],
];

async function sampleOf(isCut: boolean): Promise<Sample> {
  const sample = await createSample(await temporaryFolder(), isCut);
  expect(await verifyTask({ folder: sample.folder, checkpoints: sample.checkpoints }, env)).toMatchObject({ ok: true });
  return sample;
}

/** Returns all problems of `count` cases. */
async function tryAll(count: number, check: (seed: number) => Promise<readonly string[]>): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let seed = FUZZ_SEED; seed < FUZZ_SEED + count; seed++)
    problems.push(...(await check(seed)).map((problem) => `seed ${seed}: ${problem}`));
  return problems;
}

describe.each(KINDS)("a journal %s", (_what, isCut) => {
  it("is read to its end despite any damage, and unreadable parts are reported [AU3.damage]", async () => {
    const sample = await sampleOf(isCut);
    expect(await tryAll(40, (seed) => checkDamage(sample, seed))).toEqual([]);
  });

  it("is rejected after any edit that a checkpoint can detect [AU3.checkpoints]", async () => {
    const sample = await sampleOf(isCut);
    expect(await tryAll(60, (seed) => checkEdit(sample, seed))).toEqual([]);
  });

  it("is exported with a signature over every line [AU3.export]", async () => {
    const sample = await sampleOf(isCut);
    const key = await keyOf(sample);
    const lines: string[] = [];
    const place = { journals, files, folder: sample.folder };
    for await (const line of exportLines(place, { key, time: 7, onDamage: (damage) => expect.unreachable(damage) })) lines.push(line);
    const check = (changed: readonly string[]): readonly string[] => checkExport(changed, { journals, publicKey: key.publicKey }).problems;
    expect(checkExport(lines, { journals, publicKey: undefined })).toMatchObject({
      ...{ ok: true, rows: lines.length - 1, problems: [], signed: { publicKey: key.publicKey, time: 7 } },
    });
    const missed: string[] = [];
    const random = createRandom(FUZZ_SEED);
    for (let edits = 0; edits < 200; edits++) {
      const changed = [...lines];
      const at = random.below(lines.length);
      const line = lines[at] ?? "";
      const place = random.below(line.length);
      const edit = random.below(4);
      if (edit === 0) changed.splice(at, random.between(1, lines.length));
      else if (edit === 1) changed[at] = line.slice(0, place) + String.fromCharCode(line.charCodeAt(place) ^ 1) + line.slice(place + 1);
      else if (edit === 2) changed.splice(at, 0, line);
      else [changed[at], changed[(at + 1) % lines.length]] = [lines[(at + 1) % lines.length] ?? "", line];
      if (check(changed).length === 0) missed.push(`edit ${edit} of line ${at}, at ${place}`);
    }
    expect(missed).toEqual([]);
    // Consistent in itself, but signed with another key.
    const forged: string[] = [];
    for await (const line of exportLines(place, { key: journals.newKey(), time: 7, onDamage: () => {} })) forged.push(line);
    expect(check(forged)).toEqual([expect.stringContaining("it is signed with another key")]);
  });
});
