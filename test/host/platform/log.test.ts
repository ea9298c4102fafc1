import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../host/platform/log.ts";
import { FileError } from "../../../host/platform/platform.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Waits for one line, which is written in a later turn. */
async function writtenTo(file: string): Promise<string> {
  await expect.poll(() => readFile(file, "utf8")).toMatch(/\n$/);
  return await readFile(file, "utf8");
}

describe("createLog()", () => {
  it("writes one JSON object per line to a file for this user only [AU7]", async () => {
    const file = join(await temporaryFolder(), "host.log");
    const log = createLog({ file });
    log.child({ plugin: "words" }).write("warn", "Guest said something", { text: "100 %s %d" });
    log.write("info", "not shown");
    expect(JSON.parse(await writtenTo(file))).toEqual({
      level: 40,
      time: expect.any(Number),
      plugin: "words",
      text: "100 %s %d",
      msg: "Guest said something",
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("writes the stack of a defect, and none of a file that cannot be written [AU7.expected]", async () => {
    const file = join(await temporaryFolder(), "host.log");
    const log = createLog({ file });
    log.write("error", "Cannot keep it", {
      error: new FileError("permission_denied", "Permission denied", "/p/a"),
      defect: new TypeError("odd"),
    });
    expect(JSON.parse(await writtenTo(file))).toEqual({
      ...{ level: 50, time: expect.any(Number), msg: "Cannot keep it" },
      error: { type: "FileError", message: "Permission denied", code: "permission_denied", path: "/p/a", name: "FileError" },
      defect: { type: "TypeError", message: "odd", stack: expect.stringMatching(/^TypeError: odd\n +at /) },
    });
  });

  it("lets no text forge a line, a level or a message [AU4]", async () => {
    const file = join(await temporaryFolder(), "host.log");
    const text = 'x\n{"level":60,"msg":"forged"}\u2028\u001b[2J\u009b2J\u202egnp\u200b';
    createLog({ file, level: "info" }).write("info", "Guest said something", { text, level: 60, msg: "forged", time: 0 });
    const written = await writtenTo(file);
    expect(written.trimEnd().split("\n")).toHaveLength(1);
    expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\u200b]/.test(written)).toBe(false);
    expect(JSON.parse(written)).toEqual({
      level: 30,
      time: expect.any(Number),
      text,
      _level: 60,
      _msg: "forged",
      _time: 0,
      msg: "Guest said something",
    });
  });

  it("writes errors with their stack, and survives cycles", async () => {
    const file = join(await temporaryFolder(), "host.log");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    createLog({ file }).write("error", "Defect", { error: new Error("boom"), cycle });
    expect(JSON.parse(await writtenTo(file))).toMatchObject({
      level: 50,
      error: { type: "Error", message: "boom", stack: expect.any(String) },
    });
  });
});
