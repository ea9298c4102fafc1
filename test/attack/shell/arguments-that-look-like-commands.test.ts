/** Shell syntax reaches the program as plain text; arguments that no program can receive are refused. */

import { access } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { outputOf, shellHost } from "../../support/shell-host.ts";

describe("arguments of a program", () => {
  it("are never interpreted by a shell [G2.arguments]", async () => {
    await using shell = await shellHost({ scripts: { show: `printf '%s\\0' "$@"` } });
    const args = [
      "$(touch owned)",
      "`touch owned`",
      "; touch owned",
      "&& touch owned",
      "| touch owned",
      "\ntouch owned\n",
      "--",
      "-c",
      "$IFS",
      "*",
      "~",
      "'",
      '"',
      "\\",
    ];
    const { stdout } = outputOf(await shell.host.call("shell", { command: "show", args }));
    expect(stdout.split("\0").slice(0, -1)).toEqual(args);
    await expect(access(`${shell.workspace}/owned`)).rejects.toThrow("ENOENT");
  });

  it("do not name another program; nor does the program's name [G2.arguments]", async () => {
    await using shell = await shellHost({ grants: { run: true } });
    for (const command of ["-c", "--help", "sh -c id", "sh;id", "$(id)", "", "a\0b", "\ud800"]) {
      const result = await shell.host.call("shell", { command });
      expect([command, result.ok], command).toEqual([command, false]);
    }
    expect(shell.events.filter(({ type }) => type === "capability.used")).toEqual([]);
  });

  it.each([
    ["a NUL character", ["a\0b"]],
    ["a lone surrogate", ["\udc00"]],
    ["a megabyte in one piece", ["x".repeat(500_000)]],
  ])("are refused with %s, with a message [G2.arguments]", async (_name, args) => {
    await using shell = await shellHost({ grants: { run: ["true"] } });
    expect(await shell.host.call("shell", { command: "true", args })).toMatchObject({
      error: { code: "invalid_args", message: expect.stringContaining("Argument 1 of the program") },
    });
  });
});
