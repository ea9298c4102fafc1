import { expect, it } from "vitest";
import { compilePermissions, evaluateAccess, type PermissionLayer, type Permissions } from "../../../manifests/mod.ts";

const layer = (name: string, permissions: Permissions, unnamed: PermissionLayer["unnamed"] = "none"): PermissionLayer => ({
  name,
  permissions: compilePermissions(permissions, { base: "/p", workspace: "/w" }),
  unnamed,
  otherwise: "prompt",
});
const read = (layers: readonly PermissionLayer[], path: string): string => evaluateAccess(layers, { kind: "read", path }).state;
const all = layer("grant", { read: true });

it.each<readonly [string, Permissions, string]>([
  ["beside an allowance of everything", { read: { allow: true, deny: ["/etc"] } }, "/etc/passwd"],
  ["under a more specific allowance", { read: { allow: ["/etc/passwd"], deny: ["/etc"] } }, "/etc/passwd"],
  ["of the folder itself", { read: { allow: ["/etc/ssl/certs/x"], deny: ["/"] } }, "/etc/ssl/certs/x"],
  ["with a trailing slash", { read: { allow: true, deny: ["/etc/"] } }, "/etc/passwd"],
  ["with dots", { read: { allow: true, deny: ["/usr/../etc"] } }, "/etc/passwd"],
  ["queried with dots", { read: { allow: true, deny: ["/etc"] } }, "/usr/../etc/./passwd"],
  ["that is `ignore`", { read: { allow: true, ignore: ["/etc"] } }, "/etc/passwd"],
  ["of everything", { read: { allow: ["/etc"], deny: true } }, "/etc/passwd"],
])("attack: a denial %s is ignored [PA3.deny]", (_what, permissions, path) => {
  expect(read([layer("x", permissions)], path)).toBe("denied");
  // The denial holds in any layer, whatever the others allow.
  expect(read([all, layer("x", permissions), all], path)).toBe("denied");
});

it("attack: a denial in a layer without allowances is ignored, or also hits a neighbour with the same prefix [PA3.deny] [PA2.paths]", () => {
  expect(read([all, layer("policy", { read: { deny: ["/etc"] } }, "transparent")], "/etc/passwd")).toBe("denied");
  expect(read([all, layer("policy", { read: { deny: ["/etc"] } }, "transparent")], "/etcetera")).toBe("granted");
  expect(read([layer("x", { read: { allow: ["/w"] } })], "/workshop")).toBe("prompt");
});
