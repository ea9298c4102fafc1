import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { runCase } from "./run-case.ts";
import { toCase } from "./suites/packages.ts";

const sandbox = startSandbox({ maximumWorkers: 1 });
afterAll(() => sandbox[Symbol.asyncDispose]());

/** Packages that are installed anyway, one CommonJS and one ES module; `npm run external -- packages` runs all. */
describe("programs with packages of npm", () => {
  it.each(["papaparse", "marked"])("give the same answers in the sandbox as on Node: %s [B6.packages] [PB3.vendor]", async (name) => {
    const { tests } = await runCase(sandbox, await toCase(REPOSITORY.replace(/\/$/, ""), `${name}.js`));
    expect(tests.map((test) => [test.name, test.passed, test.message])).toEqual(tests.map((test) => [test.name, true, undefined]));
    expect(tests.length).toBeGreaterThanOrEqual(3);
  });
});
