import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allCommands, COMMANDS } from "../../../../host/doors/cli/commands/mod.ts";
import { EXIT_CODES } from "../../../../host/doors/cli/exit-codes.ts";
import { main } from "../../../../host/doors/cli/main.ts";
import { VERSION } from "../../../../host/primitives/version.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../../host/platform/mod.ts";
import { REPOSITORY } from "../../../support/source-files.ts";

async function run(...args: readonly string[]): Promise<{ code: number; platform: MemoryPlatform; out: string; error: string }> {
  const platform = createMemoryPlatform();
  const code = await main(args, platform);
  return { code, platform, out: platform.recorded.out(), error: platform.recorded.error() };
}

const commands = await allCommands();

describe("main()", () => {
  it("shows every command and exit code with --help [I2.help] [I2.exit-codes]", async () => {
    const { code, out } = await run("--help");
    expect(code).toBe(0);
    const rows = out
      .replaceAll(/\n {5,}/gu, " ")
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/u));
    expect(rows).toEqual(expect.arrayContaining(commands.map(({ name, summary }) => [name, summary])));
    expect(rows).toEqual(expect.arrayContaining(EXIT_CODES.map(([number, meaning]) => [String(number), meaning])));
    expect((await run("help")).out).toBe(out);
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    "shows help for %s with all its options [I2.help]",
    async (name, command) => {
      const { code, out } = await run(name, "--help");
      expect(code).toBe(0);
      expect(out).toContain(`bascule ${command.usage}`);
      for (const option of command.options) expect(out).toContain(`--${option.name}`);
      expect((await run("help", name)).out).toBe(out);
    },
  );

  it("registers every command under its own name [I2.help]", () => {
    expect(Object.keys(COMMANDS)).toEqual(commands.map(({ name }) => name));
  });

  it("writes its log as lines with the stack of a defect, and as JSON with --json [I7.log]", async () => {
    const memory = createMemoryPlatform();
    const files = { ...memory.files, stat: () => Promise.reject(new TypeError("boom")) };
    const platform = { ...memory, files };
    expect(await main(["list"], platform)).toBe(1);
    expect(memory.recorded.log).toEqual([]);
    expect(memory.recorded.error()).toMatch(
      /^error +The command failed unexpectedly error=boom\n {9}TypeError: boom\n(?: {13}at .*\n)+error bascule failed unexpectedly: boom\n$/,
    );
    await main(["list", "--json"], platform);
    expect(memory.recorded.log).toMatchObject([{ level: "error", message: "The command failed unexpectedly" }]);
  });

  it.each([undefined, ...commands.map(({ name }) => name)])(
    "wraps the help of %s at 80 columns without breaking words [I2.wrap]",
    async (name) => {
      const platform = createMemoryPlatform();
      const narrow = { ...platform, terminal: { ...platform.terminal, columns: 80 } };
      await main(name === undefined ? ["--help"] : [name, "--help"], narrow);
      // Usage and examples are for copying and are not wrapped.
      const prose = platform.recorded.out().split("Examples\n")[0]?.split("\n") ?? [];
      expect(prose.filter((line) => line.length > 80 && !line.startsWith("Usage "))).toEqual([]);
    },
  );

  it("writes each paragraph of help as one string that ends a sentence, so that it wraps at the terminal's width [I2.wrap]", () => {
    const parts = commands.flatMap(({ name, details = [] }) => details.map((text): readonly [string, string] => [name, text]));
    expect(parts.filter(([name, text]) => name !== "completions" && !/[.:!?]$/u.test(text))).toEqual([]);
  });

  it("prints its version [I2.version]", async () => {
    const { version } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, "utf8")) as { version: string };
    expect(VERSION).toBe(version);
    expect((await run("--version")).out).toBe(`${version}\n`);
  });

  it("suggests the nearest command for a mistyped one and exits with 2 [I2.nearest] [I2.exit-codes]", async () => {
    expect(await run("lsit")).toMatchObject({
      code: 2,
      out: "",
      error: 'error Unknown command "lsit"\n  Did you mean bascule list?\n',
    });
    expect(await run("frobnicate")).toMatchObject({
      code: 2,
      error: 'error Unknown command "frobnicate"\n  bascule --help lists the commands\n',
    });
    expect(await run("call", "peek", "--path=a.txt")).toMatchObject({
      code: 2,
      error: expect.stringMatching(/Unknown option "--path"\n {2}Write tool arguments as key=value, without --\n/) as string,
    });
    expect(await run("list", "--al")).toMatchObject({ code: 2, error: 'error Unknown option "--al"\n  Did you mean --all?\n' });
  });

  it("shows the usage of a command with too few or too many arguments [I2.usage]", async () => {
    expect(await run("grant")).toMatchObject({
      code: 2,
      error: "error Missing <plugin>\n  Usage: bascule grant <plugin> [--allow-read=<path> …]\n",
    });
    expect(await run("grants", "words")).toMatchObject({
      code: 2,
      error: 'error Command "grants" takes no argument "words"\n  Usage: bascule grants\n',
    });
  });

  it("reports errors as one JSON document if --json is given anywhere [I2.json]", async () => {
    const { code, out, error } = await run("lsit", "--json");
    expect({ code, error, document: JSON.parse(out) as unknown }).toEqual({
      code: 2,
      error: "",
      document: { ok: false, error: { code: "usage", message: 'Unknown command "lsit"', hints: ["Did you mean bascule list?"] } },
    });
    expect(JSON.parse((await run("list", "--al", "--json")).out)).toMatchObject({ ok: false, error: { code: "usage" } });
  });

  it("makes the user's input inert in messages [I2.inert]", async () => {
    expect((await run("\x1b[2Jlist")).error).toBe('error Unknown command "\\x1b[2Jlist"\n  bascule --help lists the commands\n');
  });

  it("uses colours only on a terminal that supports and allows them [I2.color]", async () => {
    const colored = async (env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<boolean> => {
      const plain = createMemoryPlatform({ env });
      await main(args, { ...plain, terminal: { ...plain.terminal, color: true } });
      return plain.recorded.out().includes("\x1b[");
    };
    expect(await colored({}, "--help")).toBe(true);
    expect(await colored({ NO_COLOR: "1" }, "--help")).toBe(false);
    expect(await colored({}, "--help", "--no-color")).toBe(false);
    expect(await colored({}, "--help", "--json")).toBe(false);
    expect((await run("--help")).out).not.toContain("\x1b[");
  });

  it("lets a command finish after the first Ctrl-C and exits at once at the second [I2.interrupt]", async () => {
    const memory = createMemoryPlatform();
    const started = Promise.withResolvers<void>();
    const connect = (): Promise<never> => {
      started.resolve();
      return new Promise(() => {});
    };
    void main(["grants"], { ...memory, sockets: { ...memory.sockets, connect } });
    await started.promise;
    memory.interrupt();
    expect(memory.recorded.exitCode()).toBeUndefined();
    memory.interrupt();
    expect(memory.recorded.exitCode()).toBe(130);
  });
});
