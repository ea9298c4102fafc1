import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  compilePermissions,
  evaluateAccess,
  parsePermissions,
  smallestGrant,
  splitFlagItems,
  type AccessQuery,
} from "../../../manifests/mod.ts";
import "../../support/seed.ts";

const BASES = { base: "/p", plugin: "/p", workspace: "/home/me/project", home: "/home/me", tmp: "/tmp" };

describe("smallestGrant()", () => {
  it.each<[AccessQuery, unknown, string]>([
    [{ kind: "read", path: "/home/me/project/a.txt" }, { read: ["$workspace/a.txt"] }, "--allow-read='$workspace/a.txt'"],
    [{ kind: "write", path: "/home/me/project" }, { write: ["$workspace"] }, "--allow-write='$workspace'"],
    [{ kind: "read", path: "/home/me/.ssh/id" }, { read: ["$home/.ssh/id"] }, "--allow-read='$home/.ssh/id'"],
    [{ kind: "read", path: "/etc/hosts" }, { read: ["/etc/hosts"] }, "--allow-read=/etc/hosts"],
    [{ kind: "read", path: "/srv/it's, here" }, { read: ["/srv/it's, here"] }, "--allow-read='/srv/it'\\''s,, here'"],
    [{ kind: "read", path: "/srv/[id]/*.ts" }, { read: ["/srv"] }, "--allow-read=/srv"],
    [{ kind: "read" }, { read: true }, "--allow-read"],
    [{ kind: "net", host: "example.com", port: 443 }, { net: ["example.com:443"] }, "--allow-net=example.com:443"],
    [{ kind: "net", host: "::1", port: 80 }, { net: ["[::1]:80"] }, "--allow-net='[::1]:80'"],
    [{ kind: "env", name: "HOME" }, { env: ["HOME"] }, "--allow-env=HOME"],
  ])("returns the grant for %j: %j [X3.hint]", (query, permissions, flag) => {
    expect(smallestGrant(query, BASES)).toEqual({ permissions, flag });
  });

  it("returns a permission set that allows the access [X3.hint]", () => {
    const part = fc.stringMatching(/^[a-z$~!.*?[\]{}\\, ]{1,6}$/).filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(
        fc.constantFrom("/home/me/project", "/home/me", "/tmp", "/srv", ""),
        fc.array(part, { maxLength: 3 }),
        (folder, parts) => {
          const query = { kind: "read", path: `${folder}/${parts.join("/")}` } as const;
          const { permissions } = smallestGrant(query, BASES);
          expect(parsePermissions(permissions)).toMatchObject({ ok: true });
          const verdict = evaluateAccess(
            [{ name: "l", permissions: compilePermissions(permissions, BASES), unnamed: "none", otherwise: "denied" }],
            query,
          );
          expect(verdict.state).toBe("granted");
        },
      ),
    );
  });
});

describe("splitFlagItems()", () => {
  it("splits at single commas", () => {
    expect(splitFlagItems("/a,/b,,c,,,d")).toEqual(["/a", "/b,c,", "d"]);
  });
});
