/**
 * Checks an archive of `npm pack` with publint (suggestions included) and are-the-types-wrong, and the size of the unpacked package:
 * `node scripts/check-package.ts <archive> <folder>`. Prints a line for each complaint, and exits with 1 if there is one. Needs no network.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** Maximum size of the unpacked package (SPEC DI1). */
const MAX_BYTES = 12 * 1024 * 1024;

const [archive = "", folder = ""] = process.argv.slice(2);
const complaints = [...(await archiveComplaints(archive)), ...sizeComplaints(folder)];
for (const complaint of complaints) console.log(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function archiveComplaints(path: string): Promise<readonly string[]> {
  const bytes = new Uint8Array(readFileSync(path));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer } });
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`),
    ...(checked.types === false ? ["are-the-types-wrong: the package has no types"] : checked.problems.filter(isOfToday).map(problemText)),
  ];
}

/** TypeScript's resolution of before 2022 knows no `exports`, and TypeScript 7 no longer has it. */
function isOfToday(problem: Problem): boolean {
  return !("resolutionKind" in problem && problem.resolutionKind === "node10");
}

function problemText({ kind, ...where }: Problem): string {
  return `are-the-types-wrong: ${kind} ${JSON.stringify(where)}`;
}

function sizeComplaints(unpacked: string): readonly string[] {
  const bytes = readdirSync(unpacked, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(unpacked, name)))
    .reduce((total, entry) => total + (entry.isFile() ? entry.size : 0), 0);
  return bytes <= MAX_BYTES ? [] : [`The package has ${bytes} bytes unpacked, more than ${MAX_BYTES}`];
}
