import { describe, expect, it } from "vitest";
import { answerPermissionQuery } from "../../../../host/capabilities/permissions.ts";
import { compilePermissions, type JsonValue, type PermissionLayer, type Permissions } from "../../../../manifests/mod.ts";
import { type FakeAnswer, startGuest } from "../engine.ts";

const GRANTED: Permissions = {
  read: { allow: ["/ws", "/data"], deny: ["/ws/part/secret"] },
  write: ["/ws"],
  env: ["A", "B"],
  net: { allow: true, deny: ["h"] },
  sys: true,
};

/** Uses the bridge's own answers; all other operations succeed. */
function hostWith(permissions: Permissions): (operation: string, args: unknown) => FakeAnswer {
  const layer: PermissionLayer = {
    name: "grant",
    permissions: compilePermissions(permissions, { base: "/ws" }),
    unnamed: "none",
    otherwise: "prompt",
  };
  return (operation, args) => {
    if (operation === "env.toObject") return { value: { A: "1", B: "2" } };
    if (!operation.startsWith("permissions.")) return operation === "env.get" ? { value: "v" } : { value: {} };
    // The guest sends JSON.
    const answer = answerPermissionQuery(args as JsonValue, { grant: { layers: [layer] }, cwd: "/ws" });
    return answer.ok ? { value: answer.value } : { error: answer.error };
  };
}

async function run(body: string): Promise<{ output: unknown; crossings: readonly { operation: string; args: unknown }[] }> {
  const guest = await startGuest({ source: `export async function tool() { ${body} }`, answer: hostWith(GRANTED) });
  const result = { output: guest.output(), crossings: guest.crossings.map(({ operation, args }) => ({ operation, args })) };
  guest.dispose();
  return result;
}

describe("Deno.permissions", () => {
  it("queries the host with the members that the descriptor's name allows [PA7.query] [PB1.permissions]", async () => {
    const { output, crossings } = await run(`
      const a = await Deno.permissions.query({ name: "read", path: "a/../part", host: "ignored" });
      const b = Deno.permissions.querySync({ name: "net", host: "h:1", path: "ignored" });
      const c = await Deno.permissions.request({ name: "env", variable: "A" });
      const d = Deno.permissions.requestSync({ name: "sys", kind: "hostname" });
      Deno.permissions.querySync({ name: "write", path: new URL("file:///x") }); Deno.permissions.querySync({ name: "run", command: "ls" });
      return [a, b, c, d].map((s) => [s.state, s.partial, s.onchange, s instanceof Deno.PermissionStatus, s instanceof EventTarget, Object.prototype.toString.call(s)])`);
    const status = (state: string, partial = false): unknown => [state, partial, null, true, true, "[object PermissionStatus]"];
    expect(output).toEqual([status("granted", true), status("denied"), status("granted"), status("granted")]);
    expect(crossings.map(({ args }) => args)).toEqual([
      { name: "read", path: "a/../part" },
      { name: "net", host: "h:1" },
      { name: "env", variable: "A" },
      { name: "sys", kind: "hostname" },
      { name: "write", path: "/x" },
      { name: "run", command: "ls" },
    ]);
  });

  it("denies a request that no user can confirm, like Deno without a terminal [PA7.request]", async () => {
    const { output } = await run(`
      const status = Deno.permissions.querySync({ name: "ffi" }); const seen = [status.state];
      status.onchange = () => seen.push("changed to " + status.state);
      seen.push((await Deno.permissions.request({ name: "ffi" })).state, Deno.permissions.querySync({ name: "ffi" }).state);
      return seen`);
    expect(output).toEqual(["prompt", "changed to denied", "changed to prompt", "denied", "prompt"]);
  });

  it("refuses an invalid descriptor before it queries the host [PA7.errors]", async () => {
    const { output, crossings } = await run(
      `const seen = []; for (const d of [{ name: "zzz" }, {}, null, "read", undefined]) { try { Deno.permissions.querySync(d) } catch (e) { seen.push(e.name) } try { await Deno.permissions.query(d) } catch (e) { seen.push(e.name) } } try { new Deno.PermissionStatus() } catch (e) { seen.push(e.name) } return seen`,
    );
    expect(output).toEqual(Array.from({ length: 11 }, () => "TypeError"));
    expect(crossings).toEqual([]);
  });

  it("keeps one status per descriptor, which is updated and fires its event [PA7.change]", async () => {
    const { output } = await run(`
      const seen = []; const status = await Deno.permissions.query({ name: "read", path: "/data/x" });
      status.onchange = function (event) { seen.push([event.type, event instanceof Event, this === status, status.state]) };
      status.addEventListener("change", () => seen.push("listener"));
      seen.push(status === Deno.permissions.querySync({ name: "read", path: "/data/x" }), status === Deno.permissions.querySync({ name: "read", path: "/data/y" }), status.state);
      seen.push(Deno.permissions.revokeSync({ name: "read", path: "/data/x" }) === status);
      Deno.permissions.querySync({ name: "read", path: "/data/x" });
      return seen`);
    expect(output).toEqual([true, false, "granted", ["change", true, true, "prompt"], "listener", true]);
  });

  it("revokes like Deno: the items that cover the descriptor, for operations and queries [PA7.revoke] [D5]", async () => {
    const { output, crossings } = await run(`
      const seen = []; const attempt = (f) => { try { f(); seen.push("done") } catch (e) { seen.push(e.name) } };
      seen.push((await Deno.permissions.revoke({ name: "read", path: "/data/secret" })).state);
      attempt(() => Deno.statSync("/data/secret/x")); attempt(() => Deno.statSync("/data/other")); attempt(() => Deno.statSync("/ws/x"));
      seen.push(Deno.permissions.querySync({ name: "read", path: "/data" }).state, Deno.permissions.querySync({ name: "read", path: "/ws" }).state);
      seen.push(Deno.permissions.revokeSync({ name: "env", variable: "A" }).state); attempt(() => Deno.env.get("A")); attempt(() => Deno.env.get("B")); seen.push(Deno.env.toObject());
      for (let i = 0; i < 300; i++) Deno.permissions.revokeSync({ name: "write" });
      attempt(() => Deno.mkdirSync("d")); attempt(() => Deno.makeTempFileSync());
      seen.push(Deno.permissions.revokeSync({ name: "net", host: "a" }).state, Deno.permissions.revokeSync({ name: "net" }).state, Deno.permissions.querySync({ name: "net", host: "h" }).state);
      return seen`);
    expect(output).toEqual([
      "prompt",
      "NotCapable",
      "NotCapable",
      "done",
      "prompt",
      "granted",
      "prompt",
      "NotCapable",
      "done",
      { B: "2" },
      "NotCapable",
      "NotCapable",
      "granted",
      "prompt",
      "denied",
    ]);
    const acts = crossings.filter(({ operation }) => operation !== "permissions.query").map(({ operation }) => operation);
    expect(acts).toEqual(["fs.stat", "env.get", "env.toObject"]);
  });
});
