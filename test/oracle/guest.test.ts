import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { answerPermissionQuery } from "../../host/capabilities/permissions.ts";
import { compilePermissions, type JsonValue, type PermissionLayer } from "../../manifests/mod.ts";
import { startGuest } from "../sandbox/guest/engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prepareFolder, runDeno, toFlags } from "./deno-answer.ts";
import type { OraclePolicy } from "./policy.ts";

const POLICY: OraclePolicy = {
  read: { allow: ["/data", "/data/a", "x"], deny: ["/data/secret"] },
  write: { allow: true, deny: ["/no"] },
  net: { allow: ["10.0.0.0/8", "*.a.x", "b.x:80", "unix:/s"], deny: ["c.a.x"] },
  env: { allow: ["A*"], deny: ["AB"] },
  sys: { allow: ["hostname", "username"] },
  ffi: { allow: [] },
};

/** Programs that run separately and show their result or error. */
const PROGRAMS: readonly string[] = [
  // Invalid descriptors
  ...[
    "",
    "null",
    `"read"`,
    "{}",
    `{ name: "reed" }`,
    "{ name: 1 }",
    `{ name: Symbol("a") }`,
    `() => 1`,
    `Object.create({ name: "read" })`,
  ].flatMap((text) => [
    `show(permissions.querySync(${text}))`,
    `show(await permissions.query(${text}))`,
    `show(permissions.revokeSync(${text}))`,
    `show(await permissions.request(${text}))`,
  ]),
  `permissions.querySync({ get name() { throw new RangeError("mine") } })`,
  // Descriptors with members of any type
  ...[
    `""`,
    "1",
    "null",
    "undefined",
    "{}",
    `new URL("http://x")`,
    `new URL("file:///data/%41")`,
    `"/data/"`,
    `"x/../x/y"`,
    `["/data"]`,
  ].flatMap((text) => [
    `show(permissions.querySync({ name: "read", path: ${text} }))`,
    `show(permissions.querySync({ name: "ffi", path: ${text} }))`,
    `show(permissions.querySync({ name: "run", command: ${text} }))`,
  ]),
  ...[
    `""`,
    "1",
    "null",
    `"http://x"`,
    `"a:b"`,
    `"a:"`,
    `"::1"`,
    `"[::1"`,
    `"[x]"`,
    `"a..b"`,
    `"ü"`,
    `"*.x"`,
    `"unix:x"`,
    `"unix:/s"`,
    `"10.1.1.1"`,
    `"10.0.0.0/8"`,
  ].flatMap((text) => [
    `show(permissions.querySync({ name: "net", host: ${text} }))`,
    `show(permissions.querySync({ name: "import", host: ${text} }))`,
  ]),
  ...[`""`, "1", "null", `"A"`, `"AB"`, `"ABC"`, `"A=B"`].map((text) => `show(permissions.querySync({ name: "env", variable: ${text} }))`),
  ...[`""`, "1", "null", `"hostname"`, `"userInfo"`, `"nonsense"`].map(
    (text) => `show(permissions.querySync({ name: "sys", kind: ${text} }))`,
  ),
  // Requests that no user can confirm
  `show(permissions.requestSync({ name: "read", path: "/data" }))`,
  `show(permissions.requestSync({ name: "read", path: "/elsewhere" }))`,
  `permissions.requestSync({ name: "read", path: "/elsewhere" }); show(permissions.querySync({ name: "read", path: "/elsewhere" }))`,
  `show(await permissions.request({ name: "ffi" }))`,
  // Revocations and later queries
  ...[
    [`{ name: "read", path: "/data/a/b" }`, `{ name: "read", path: "/data/c" }`],
    [`{ name: "read", path: "/data/c" }`, `{ name: "read", path: "/data/a" }`],
    [`{ name: "read", path: "/" }`, `{ name: "read", path: "/data" }`],
    [`{ name: "read" }`, `{ name: "read", path: "/data/secret" }`],
    [`{ name: "write", path: "/w" }`, `{ name: "write", path: "/w" }`],
    [`{ name: "write" }`, `{ name: "write", path: "/w" }`],
    [`{ name: "net", host: "z.a.x" }`, `{ name: "net", host: "a.x" }`],
    [`{ name: "net", host: "10.9.9.9:1" }`, `{ name: "net", host: "10.0.0.1" }`],
    [`{ name: "net", host: "b.x" }`, `{ name: "net", host: "b.x:80" }`],
    [`{ name: "env", variable: "AX" }`, `{ name: "env", variable: "AY" }`],
    [`{ name: "sys", kind: "username" }`, `{ name: "sys", kind: "userInfo" }`],
    [`{ name: "import", host: "never.x" }`, `{ name: "sys", kind: "hostname" }`],
  ].flatMap(([revoked = "", asked = ""]) => [
    `show(permissions.revokeSync(${revoked}))`,
    `await permissions.revoke(${revoked}); show(permissions.querySync(${asked}))`,
  ]),
  // The status
  `const one = permissions.querySync({ name: "env", variable: "AX" }); show(one === permissions.querySync({ name: "env", variable: "AX" }), one === permissions.querySync({ name: "env", variable: "AY" }))`,
  `const one = await permissions.query({ name: "read", path: "/data" }); const seen = [];
   one.onchange = function (event) { seen.push(event.type, event.target === one, this === one, one.state) };
   one.addEventListener("change", () => seen.push("listener"));
   permissions.querySync({ name: "read", path: "/data" }); permissions.revokeSync({ name: "read", path: "/data" }); permissions.querySync({ name: "read", path: "/data" });
   show(seen.toSorted())`,
  `const one = permissions.querySync({ name: "net" }); show(one instanceof EventTarget, one.onchange, one.partial, Deno.inspect(one), Deno.inspect(permissions))`,
  `show(Deno.inspect(permissions.querySync({ name: "write" })))`,
  `new Deno.PermissionStatus()`,
  `new Deno.Permissions()`,
  `show(permissions.query.length, permissions.querySync.length, Deno.Permissions.length, Deno.PermissionStatus.length, permissions instanceof Deno.Permissions)`,
  `show(Object.getOwnPropertyNames(Deno.Permissions.prototype).toSorted())`,
];

const SHOW = `const { permissions } = Deno; const out = [];
function show(...values) { for (const value of values) out.push(value instanceof Deno.PermissionStatus ? [value.state, value.partial] : value); }`;

/** Returns a module that runs one program and returns its output or error. */
function toSource(program: string): string {
  return `${SHOW}\nasync function program() { ${program} }
export async function tool() { try { await program(); return out } catch (error) { return [error.name, error.constructor.name, error.message] } }`;
}

describe("Deno.permissions in the sandbox and in Deno", () => {
  it("return and throw the same, with the same messages [PA7] [PA7.errors] [PA7.change]", { timeout: 120_000 }, async () => {
    const folder = await temporaryFolder();
    await prepareFolder(folder);
    const [inDeno, inSandbox] = [await runInDeno(folder), await runInSandbox(folder)];
    const differing = PROGRAMS.flatMap((program, index) => {
      const [deno, bascule] = [inDeno[index], inSandbox[index]];
      return JSON.stringify(deno) === JSON.stringify(bascule) ? [] : [{ program, deno, bascule }];
    });
    expect(differing).toEqual([]);
    expect(inDeno).toHaveLength(PROGRAMS.length);
  });
});

/** One process per program, because a revocation applies to all workers of a process. */
async function runInDeno(folder: string): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const lanes = 2;
  for (let start = 0; start < PROGRAMS.length; start += lanes) {
    const some = PROGRAMS.slice(start, start + lanes).map(async (program, index) => {
      const file = `program-${start + index}.mjs`;
      await writeFile(`${folder}/${file}`, `${toSource(program)}\nconsole.log(JSON.stringify(await tool()));`);
      const { stdout } = await runDeno(["--quiet", "--no-prompt", "--no-config", ...toFlags(POLICY), file], folder);
      return JSON.parse(stdout) as unknown;
    });
    answers.push(...(await Promise.all(some)));
  }
  return answers;
}

async function runInSandbox(folder: string): Promise<readonly unknown[]> {
  const layer: PermissionLayer = {
    name: "set",
    permissions: compilePermissions(POLICY, { base: folder }),
    unnamed: "none",
    otherwise: "prompt",
  };
  const answers: unknown[] = [];
  for (const program of PROGRAMS) {
    const guest = await startGuest({
      source: toSource(program),
      answer: (_operation, args) => {
        // The guest sends JSON.
        const answer = answerPermissionQuery(args as JsonValue, { grant: { layers: [layer] }, cwd: folder });
        return answer.ok ? { value: answer.value } : { error: answer.error };
      },
    });
    answers.push(guest.output());
    guest.dispose();
  }
  return answers;
}
