import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = {
  "main.js": `
export async function load({ specifier, type }) { try { const m = await import(specifier, type ? { with: { type } } : undefined); return Object.keys(m) } catch (e) { return e.name } }
export async function evaluated({ specifier }) { try { return Object.keys(await (0, eval)("import(" + JSON.stringify(specifier) + ")")) } catch (e) { return e.name } }
export async function constructed({ specifier }) { try { return Object.keys(await new Function("s", "return import(s)")(specifier)) } catch (e) { return e.name } }
export async function sly() { let n = 0; const seen = []; const s = { toString() { seen.push(n); return n++ === 0 ? "./data.json" : "node:fs" } }; try { await import(s, { with: { type: "json" } }) } catch {} return seen.length };
`,
  "data.json": `{"a": 1}`,
};

it("attack: modules from outside of the plugin's files [B7.imports]", async () => {
  const { call } = await attacker(EVIL);
  const specifiers = [
    ...["node:fs", "fs", "node:child_process", "npm:lodash", "jsr:@std/fs", "bun:ffi", "std", "os", "qjs:os"],
    ...[
      "file:///etc/passwd",
      "/etc/passwd",
      "../../../../etc/passwd",
      "../main.js",
      "./../../x.js",
      "..%2f..%2fetc/passwd",
      "\\\\server\\share",
      "C:\\x.js",
    ],
    ...[
      "https://example.com/x.js",
      "http://127.0.0.1/x.js",
      "data:text/javascript,export default 1",
      "blob:null/1",
      "javascript:1",
      "about:blank",
    ],
    ...[
      "bascule:prelude/entry.ts",
      "bascule:prelude/channel.ts",
      "bascule:boot",
      "main.js\0.txt",
      "",
      ".",
      "./",
      "__proto__",
      "constructor",
      "./missing.js",
    ],
    "x".repeat(1 << 20),
  ];
  for (const specifier of specifiers)
    for (const way of ["load", "evaluated", "constructed"])
      expect(await call(way, { args: { specifier } }), `${way} ${specifier.slice(0, 50)}`).toMatch(/Error$|^NotCapable$|^NotFound$/);
  expect(await call("sly")).toBe(1);
});
