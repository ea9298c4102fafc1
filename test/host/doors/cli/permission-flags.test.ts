import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../../host/doors/cli/arguments.ts";
import { CliError } from "../../../../host/doors/cli/cli-error.ts";
import { flagsFromPermissions, PERMISSION_OPTIONS } from "../../../../host/doors/cli/permission-flags.ts";
import { permissionsFromFlags } from "../../../../host/doors/cli/read-permission-flags.ts";
import type { Permissions } from "../../../../manifests/mod.ts";

const PLACE = { cwd: "/work/project", home: "/home/user" };

function permissions(...flags: readonly string[]): Permissions {
  const parsed = parseArguments(flags, PERMISSION_OPTIONS);
  if (!parsed.ok) throw new Error(parsed.message);
  return permissionsFromFlags(parsed.options, PLACE);
}

describe("permissionsFromFlags()", () => {
  it("resolves relative paths against the working directory and keeps tokens [C3.flags] [PA2.flags]", () => {
    expect(permissions("--allow-read=docs,../other,/etc/hosts,$workspace/a", "--allow-write=~/notes")).toEqual({
      read: ["/work/project/docs", "/work/other", "/etc/hosts", "$workspace/a"],
      write: ["/home/user/notes"],
    });
  });

  it("reads a flag without a value as its whole kind [C3.flags]", () => {
    expect(permissions("--allow-read", "--deny-net")).toEqual({ read: true, net: { deny: true } });
  });

  it("merges allow and deny of one kind [C3.flags]", () => {
    expect(permissions("--allow-read=.", "--deny-read=secrets", "--deny-read=.env")).toEqual({
      read: { allow: ["/work/project"], deny: ["/work/project/secrets", "/work/project/.env"] },
    });
  });

  it("reads a doubled comma as a literal one, as Deno does [C3.flags]", () => {
    expect(permissions("--allow-read=a,,b,c")).toEqual({ read: ["/work/project/a,b", "/work/project/c"] });
  });

  it("accepts Deno's short options, --ignore and bare ports [C3.flags]", () => {
    expect(permissions("-R", "-N=:8080,a.x", "--ignore-read=.env", "--ignore-env", "-E=HOME")).toEqual({
      read: { allow: true, ignore: ["/work/project/.env"] },
      net: ["0.0.0.0:8080", "127.0.0.1:8080", "localhost:8080", "a.x"],
      env: { allow: ["HOME"], ignore: true },
    });
    expect(() => permissions("--ignore-net=a.x")).toThrow("--ignore-net");
  });

  it("refuses items outside the grammar [C3.flags]", () => {
    expect(() => permissions("--allow-net=http://example.org/")).toThrow(CliError);
  });

  it("returns an empty set without flags [C3.flags]", () => {
    expect(permissions()).toEqual({});
  });
});

describe("flagsFromPermissions()", () => {
  it("writes one slash below a workspace that is the root of the file system [C3.flags]", () => {
    expect(flagsFromPermissions({ read: ["$workspace/notes"] }, { cwd: "/work", workspace: "/" })).toBe("--allow-read=/notes");
  });

  const place = { cwd: "/work/project", workspace: "/work/project" };

  it("writes flags relative to the working directory [I2.advice]", () => {
    expect(flagsFromPermissions({ read: ["$workspace"] }, place)).toBe("--allow-read=.");
    expect(flagsFromPermissions({ read: { allow: ["$workspace/notes"], reason: "x" }, write: ["$workspace/notes"] }, place)).toBe(
      "--allow-read=notes --allow-write=notes",
    );
    expect(flagsFromPermissions({ net: ["api.example.org:443"], env: true }, place)).toBe("--allow-net=api.example.org:443 --allow-env");
  });

  it("writes absolute paths for items outside the working directory, even if relative ones are shorter [PA2.suggested]", () => {
    const deep = { cwd: "/work/project/plugins/words", workspace: "/work/project" };
    expect(flagsFromPermissions({ read: ["$workspace", "/work", "/work/project/plugins/words/..x"], write: ["/work/other"] }, deep)).toBe(
      "--allow-read=/work/project,/work,..x --allow-write=/work/other",
    );
  });

  it("quotes values with special characters for a shell [I2.advice]", () => {
    expect(flagsFromPermissions({ read: ["$workspace/my notes"], write: ["$data/it's"] }, place)).toBe(
      `'--allow-read=my notes' '--allow-write=$data/it'\\''s'`,
    );
  });

  it("round-trips through permissionsFromFlags() [C3.flags]", () => {
    const set = permissions("--allow-read=docs", "--deny-write=docs/x");
    expect(permissions(...flagsFromPermissions(set, place).split(" "))).toEqual(set);
  });
});
