import { describe, expect, it } from "vitest";
import { type FakeAnswer, startGuest } from "../engine.ts";

const VARIABLES: Record<string, string> = { HOME: "/home/u", LANG: "C" };

function host(operation: string, args: unknown): FakeAnswer {
  const { name } = args as { name: string };
  if (name === "SECRET") return { error: { name: "NotCapable", message: 'Requires env access to "SECRET"' } };
  if (operation === "env.get") return { value: VARIABLES[name] ?? null };
  if (operation === "env.has") return { value: name in VARIABLES };
  return { value: VARIABLES };
}

async function run(body: string): Promise<{ output: unknown; operations: string[] }> {
  const guest = await startGuest({ source: `export async function tool() { ${body} }`, answer: host });
  const result = { output: guest.output(), operations: guest.crossings.map(({ operation }) => operation) };
  guest.dispose();
  return result;
}

describe("Deno.env", () => {
  it("reads the variables that the host grants [PB1.env] [C1]", async () => {
    expect(
      await run(
        `return [Deno.env.get("HOME"), Deno.env.get("NONE") === undefined, Deno.env.has("HOME"), Deno.env.has("NONE"), Deno.env.toObject()]`,
      ),
    ).toEqual({
      output: ["/home/u", true, true, false, VARIABLES],
      operations: ["env.get", "env.get", "env.has", "env.has", "env.toObject"],
    });
  });

  it("throws the host's refusal [PB1.env] [C10]", async () => {
    expect(
      (await run(`try { Deno.env.get("SECRET") } catch (e) { return [e instanceof Deno.errors.NotCapable, e.message] }`)).output,
    ).toEqual([true, 'Requires env access to "SECRET"']);
  });

  it("keeps the program's own changes in the guest, for this call [PB1.env] [B2]", async () => {
    const guest = await startGuest({
      source: `export function tool() { Deno.env.set("MINE", "1"); Deno.env.set("HOME", "/x"); Deno.env.delete("LANG"); return [Deno.env.get("MINE"), Deno.env.get("HOME"), Deno.env.get("LANG") === undefined, Deno.env.has("LANG"), Deno.env.has("MINE"), Deno.env.toObject()] }`,
      answer: host,
    });
    expect(guest.output()).toEqual(["1", "/x", true, false, true, { HOME: "/x", MINE: "1" }]);
    expect(guest.crossings.map(({ operation }) => operation)).toEqual(["env.toObject"]);
    guest.dispose();
  });

  it("refuses invalid names [PB1.env] [B5]", async () => {
    expect(
      await run(
        `const seen = []; for (const f of [() => Deno.env.get(""), () => Deno.env.set("a=b", "c"), () => Deno.env.get("a\\0"), () => Deno.env.set("a", "\\ud800"), () => Deno.env.get()]) try { f() } catch (e) { seen.push(e.name) } return seen`,
      ),
    ).toEqual({
      output: ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError"],
      operations: [],
    });
  });

  it("accepts variables of every name, __proto__ included [B5]", async () => {
    const guest = await startGuest({
      source: `export function tool() { const all = Deno.env.toObject(); return [Object.getPrototypeOf(all) === Object.prototype, Object.keys(all)] }`,
      answer: () => ({ value: JSON.parse('{"__proto__":"x","a":"b"}') as unknown }),
    });
    expect(guest.output()).toEqual([true, ["__proto__", "a"]]);
    guest.dispose();
  });
});
