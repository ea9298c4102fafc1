import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VENDORED } from "../../scripts/vendored.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { scanSource } from "../support/source-scan.ts";

const read = (path: string): string => readFileSync(REPOSITORY + path, "utf8");

/** Code that compiles text, accesses the outside, or does not exist in the sandbox. */
const FORBIDDEN = /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\bprocess\.|\brequire\s*\(|\bIntl\.|\bAtomics\.|\bimport\s*\(/u;

describe.each(VENDORED.map((one) => [`plugins/${one.plugin}/vendor/${one.name}`, one] as const))("%s.js", (path, one) => {
  const code = read(`${path}.js`);
  const folder = path.slice(0, path.lastIndexOf("/"));

  it("is one file that imports nothing and compiles no text [PB3.vendor]", () => {
    expect(scanSource(code).imports).toEqual([]);
    expect(FORBIDDEN.exec(code)?.[0]).toBeUndefined();
  });

  it("comes with its licence, its version and its hash [PB3.vendor]", () => {
    const { version } = JSON.parse(read(`node_modules/${one.package}/package.json`)) as { readonly version: string };
    const { devDependencies } = JSON.parse(read("package.json")) as { readonly devDependencies: Readonly<Record<string, string>> };
    const hash = createHash("sha256").update(code).digest("hex");
    expect(devDependencies[one.package]).toBe(version);
    expect(read(`${folder}/README.md`)).toContain(`${one.package}](`);
    expect(read(`${folder}/README.md`)).toContain(`) ${version} | `);
    expect(read(`${folder}/README.md`)).toContain(`\`${hash}\``);
    expect(read(`${path}.LICENCE.txt`)).toBe(read(`node_modules/${one.package}/${one.licenceFile}`));
    expect(code.split("\n")[0]).toContain(`${one.package} ${version} (`);
  });

  it("has types beside it", () => {
    expect(existsSync(`${REPOSITORY}${path}.d.ts`)).toBe(true);
  });
});

describe("the vendor folders", () => {
  it("hold only generated files and types", () => {
    for (const plugin of new Set(VENDORED.map((one) => one.plugin))) {
      const expected = VENDORED.filter((one) => one.plugin === plugin).flatMap(({ name }) => [
        `${name}.LICENCE.txt`,
        `${name}.d.ts`,
        `${name}.js`,
      ]);
      expect(readdirSync(`${REPOSITORY}plugins/${plugin}/vendor`).toSorted()).toEqual(["README.md", ...expected].toSorted());
    }
  });
});
