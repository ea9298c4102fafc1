import { describe, expect, it } from "vitest";
import { type FakeAnswer, startGuest } from "./engine.ts";

function host(operation: string, args: unknown): FakeAnswer {
  const { name, path } = args as { name: string; path?: string };
  if (operation === "permissions.query") return { value: { state: name === "net" ? "denied" : "granted", partial: path === "/ws/part" } };
  return operation === "env.get" ? { value: "v" } : { value: {} };
}

async function run(body: string): Promise<{ output: unknown; crossings: readonly { operation: string; args: unknown }[] }> {
  const guest = await startGuest({ source: `export async function tool() { ${body} }`, answer: host });
  const result = { output: guest.output(), crossings: guest.crossings.map(({ operation, args }) => ({ operation, args })) };
  guest.dispose();
  return result;
}

describe("Deno.permissions", () => {
  it("asks the host, with what the descriptor's name allows and paths made absolute [PA7] [PB1.permissions]", async () => {
    const { output, crossings } = await run(`
      const a = await Deno.permissions.query({ name: "read", path: "a/../part", host: "ignored" });
      const b = Deno.permissions.querySync({ name: "net", host: "h:1", path: "ignored" });
      const c = await Deno.permissions.request({ name: "env", variable: "V" });
      const d = Deno.permissions.requestSync({ name: "sys", kind: "hostname" });
      Deno.permissions.querySync({ name: "write", path: new URL("file:///x") }); Deno.permissions.querySync({ name: "run", command: "ls" });
      return [a, b, c, d].map((s) => [s.state, s.partial, s.onchange, s instanceof Deno.PermissionStatus, s instanceof EventTarget, Object.prototype.toString.call(s)])`);
    const status = (state: string, partial = false): unknown => [state, partial, null, true, true, "[object PermissionStatus]"];
    expect(output).toEqual([status("granted", true), status("denied"), status("granted"), status("granted")]);
    expect(crossings.map(({ args }) => args)).toEqual([
      { name: "read", path: "/ws/part" },
      { name: "net", host: "h:1" },
      { name: "env", variable: "V" },
      { name: "sys", kind: "hostname" },
      { name: "write", path: "/x" },
      { name: "run", command: "ls" },
    ]);
  });

  it("refuses what is no descriptor, as Deno does [PA7]", async () => {
    const { output, crossings } = await run(
      `const seen = []; for (const d of [{ name: "zzz" }, {}, null, "read", { name: "read", path: 3 }]) { try { Deno.permissions.querySync(d) } catch (e) { seen.push(e.name) } try { await Deno.permissions.query(d) } catch (e) { seen.push(e.name) } } try { new Deno.PermissionStatus() } catch (e) { seen.push(e.name) } return seen`,
    );
    expect(output).toEqual(Array.from({ length: 11 }, () => "TypeError"));
    expect(crossings).toEqual([]);
  });

  it("gives up inside the guest what it revokes: acts and queries below it, nothing beside it [PA7] [D5]", async () => {
    const { output, crossings } = await run(`
      const seen = []; const attempt = (f) => { try { f(); seen.push("done") } catch (e) { seen.push(e.name) } };
      seen.push((await Deno.permissions.revoke({ name: "read", path: "/ws/secret" })).state);
      attempt(() => Deno.statSync("secret/x")); attempt(() => Deno.statSync("/ws/secret")); attempt(() => Deno.statSync("a/../secret")); attempt(() => Deno.statSync("secrets"));
      seen.push(Deno.permissions.querySync({ name: "read", path: "secret/deep" }).state, Deno.permissions.querySync({ name: "read", path: "/ws" }).state);
      seen.push(Deno.permissions.revokeSync({ name: "env", variable: "A" }).state); attempt(() => Deno.env.get("A")); attempt(() => Deno.env.get("B")); attempt(() => Deno.env.toObject());
      Deno.permissions.revokeSync({ name: "write" }); attempt(() => Deno.mkdirSync("d")); attempt(() => Deno.makeTempFileSync()); seen.push(Deno.permissions.revokeSync({ name: "net" }).state);
      return seen`);
    expect(output).toEqual([
      "prompt",
      "NotCapable",
      "NotCapable",
      "NotCapable",
      "done",
      "prompt",
      "granted",
      "prompt",
      "NotCapable",
      "done",
      "done",
      "NotCapable",
      "NotCapable",
      "denied",
    ]);
    const acts = crossings.filter(({ operation }) => operation !== "permissions.query").map(({ operation }) => operation);
    expect(acts).toEqual(["fs.stat", "env.get", "env.toObject"]);
  });
});
