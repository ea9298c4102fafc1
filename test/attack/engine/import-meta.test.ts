import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const facts = () => [import.meta.url, import.meta.filename ?? null, import.meta.dirname ?? null];
export const resolve = ({ to }) => { try { return import.meta.resolve(to) } catch (e) { return e.name } };
export const change = async () => { try { import.meta.url = "file:///etc/"; import.meta.resolve = () => "file:///etc/passwd" } catch {} try { return Object.keys(await import("./passwd")) } catch (e) { return e.name } };
export const read = () => { try { return Deno.readTextFileSync(new URL("./../../../etc/passwd", import.meta.url)) } catch (e) { return e.name } };
`;

it("attack: import.meta reveals the plugin's real path, or is changed to redirect imports [B7.meta]", async () => {
  const { call } = await attacker(EVIL);
  const facts = JSON.stringify(await call("facts"));
  expect(facts).not.toContain(process.cwd());
  expect(facts).not.toMatch(/\/(work|tmp|home|Users)\//);
  expect(await call("change")).toMatch(/Error$|^NotFound$/);
  expect(await call("read")).toBe("NotCapable");
  for (const to of ["../../../../etc/passwd", "file:///etc/passwd", "/etc/passwd"]) {
    const resolved = (await call("resolve", { args: { to } })) as string;
    // A URL is only a name. Reading it needs a grant.
    expect(resolved).toMatch(/^(file:|TypeError|Error)/);
  }
});
