import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const DEEP: Readonly<Record<string, string>> = {
  getters: "const o = { get a() { return this.a } }; return o.a;",
  proxies: "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x ?? 'none';",
  prototypes: "let p = {}; for (let i = 0; i < 1e5; i++) p = Object.create(p); return p.x ?? 'none';",
  bound: "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f();",
  toString: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a);",
  parsing: "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5));",
  writing: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a);",
  reviver: "return JSON.parse('[1]', function f(k, v) { return JSON.parse('[1]', f) });",
  code: "return eval('('.repeat(1e5) + '1' + ')'.repeat(1e5));",
  template: "return eval('`${'.repeat(1e4) + '1' + '}`'.repeat(1e4));",
  regexp: "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x');",
  lookaround: "return new RegExp('(?='.repeat(5e3) + 'a' + ')'.repeat(5e3)).test('a');",
  sorting: "const f = () => [2, 1].sort(f); f(); return 1;",
  replacing: "const f = () => 'a'.replace(/a/, f); f(); return 1;",
  constructing: "class A { constructor() { new A() } } new A(); return 1;",
  coercing: "const o = { valueOf: () => +o }; return +o;",
  reflecting: "const f = () => Reflect.apply(f, null, []); f(); return 1;",
  cloning: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; structuredClone(a); return 1;",
  spreading: "const it = { [Symbol.iterator]: () => [...it] }; return [...it];",
};
const EVIL = Object.entries(DEEP)
  .map(([name, body]) => `export function ${name}() { ${body} }`)
  .join("\n");

it("attack: every kind of recursion, in script and inside the engine [B4.stack] [B3.stack]", async () => {
  const { call } = await attacker(EVIL);
  for (const name of Object.keys(DEEP)) {
    const outcome = await call(name, { limits: { cpuMs: 50 } });
    if (typeof outcome === "object")
      expect(outcome, name).toMatchObject({ kind: expect.stringMatching(/^(exhausted|threw|timeout|not_json)$/) });
    else expect(["none", "1", 1, true], name).toContain(outcome);
  }
});
