import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../host/doors/cli/arguments.ts";
import { flagsFromPermissions, PERMISSION_OPTIONS } from "../../../host/doors/cli/permission-flags.ts";
import { permissionsFromFlags } from "../../../host/doors/cli/read-permission-flags.ts";

const PLACE = { cwd: "/work", workspace: "/work", home: "/home/me" };

describe("attack: a file is named like another folder in a permission flag", () => {
  it.each(["~", "~/x", "$home", "$workspace", "$nope.txt", "~x"])(
    "grants exactly that file with the advice for %j [X3.command]",
    (name) => {
      const permissions = { read: [`/work/${name}`] };
      const asShellReadsIt = flagsFromPermissions(permissions, PLACE).replaceAll("'", "");
      const parsed = parseArguments([asShellReadsIt], PERMISSION_OPTIONS);
      expect(parsed.ok && permissionsFromFlags(parsed.options, PLACE)).toEqual(permissions);
    },
  );
});
