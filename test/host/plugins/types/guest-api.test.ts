import { describe, expect, it } from "vitest";
import { GLOBALS_FILE, pluginTypes, TYPES_FILE } from "../../../../host/plugins/types/plugin-types.ts";
import { PERMISSION_KINDS, type Permissions } from "../../../../manifests/mod.ts";
import { evaluateInGuest, startGuest } from "../../../sandbox/guest/engine.ts";
import { type Declared, declaredNames } from "./declared-names.ts";
import { manifestWith } from "./manifest-with.ts";

const EVERYTHING: Permissions = {
  ...Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, kind === "tools" || kind === "mcp" ? ["x"] : true])),
  read: ["$data"],
};

/** Every permission is requested, so that every API is declared. */
const all = pluginTypes(manifestWith({ permissions: EVERYTHING }));
const globals = declaredNames(all.get(GLOBALS_FILE) ?? "");
const deno = declaredNames(all.get(GLOBALS_FILE) ?? "", "Deno");

/** The language itself comes from `lib` in tsconfig.json. */
const LANGUAGE = [
  ...["AggregateError", "Array", "ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "DataView", "Date", "Error"],
  ...["EvalError", "FinalizationRegistry", "Float16Array", "Float32Array", "Float64Array", "Function", "Infinity", "Int16Array"],
  ...["Int32Array", "Int8Array", "Iterator", "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError"],
  ...["ReferenceError", "Reflect", "RegExp", "Set", "SharedArrayBuffer", "String", "Symbol", "SyntaxError", "TypeError", "URIError"],
  ...["Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "decodeURI"],
  ...["decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN", "parseFloat"],
  ...["parseInt", "undefined", "unescape", "DisposableStack", "AsyncDisposableStack", "SuppressedError", "Intl", "Atomics"],
];

/** Present only so that programs that check for them run; tools cannot use them. */
const FOR_SHOW = ["bench", "internal", "stderr", "stdin", "stdout"];

describe("the table of APIs", () => {
  it("declares every global of the guest that works, and none besides (a new one is one more row of host/plugins/types/*-api.ts) [M8.globals]", async () => {
    const found = await namesIn("globalThis");
    const working = found.filter((name) => !LANGUAGE.includes(name) && name !== "Deno");
    // Specifiers of registries are modules, not globals.
    expect(globals.values.filter((name) => name !== "Deno" && !name.includes(":"))).toEqual(await withoutRefusals("globalThis", working));
  });

  it("declares every member of Deno that works, and none besides (a new one is a line in host/plugins/types/deno-api.ts) [M8.deno]", async () => {
    const working = (await withoutRefusals("Deno", await namesIn("Deno"))).filter((name) => !FOR_SHOW.includes(name));
    expect(deno.values).toEqual(working);
    expect(declaredNames(all.get(GLOBALS_FILE) ?? "", "Deno", "errors").values).toEqual(await namesIn("Deno.errors"));
  });

  it("declares the members of every class and object of the guest [M8.members]", async () => {
    for (const [scope, declared] of [
      ["globalThis", globals],
      ["Deno", deno],
    ] as const) {
      for (const name of classesOf(declared)) {
        const place = `${scope}.${name}`;
        const statics = (await namesIn(place)).filter((key) => !["length", "name", "prototype"].includes(key));
        const members = (await namesIn(`${place}.prototype`)).filter((key) => key !== "constructor");
        expect({ place, statics: declared.statics.get(name) ?? [], members: declared.members.get(name) ?? [] }).toEqual({
          place,
          statics,
          members,
        });
      }
    }
    expect(globals.members.get("Console")).toEqual(await namesIn("console"));
    expect(deno.members.get("Env")).toEqual(await namesIn("Deno.env"));
  });

  it("declares the context of a tool and its parts [M8.context]", async () => {
    const { members } = declaredNames(all.get(TYPES_FILE) ?? "");
    const guest = await startGuest({
      source: `export default (args, context) => ({ context: Object.keys(context).sort(), log: Object.keys(context.log).sort(), workspace: Object.keys(context.workspace).sort(), kv: Object.keys(context.data.kv).sort(), sql: Object.keys(context.data.sql).sort() });`,
    });
    try {
      const told = {
        sessionId: "s",
        turnId: "t",
        callId: "c",
        agentId: "a",
        traceparent: "p",
        workspacePath: "/",
        settings: {},
        permissions: {},
        deadline: 1,
      };
      expect(guest.output({ export: "default", context: told })).toEqual({
        context: members.get("Context"),
        log: members.get("Log"),
        workspace: members.get("Workspace"),
        kv: members.get("KeyValues"),
        sql: members.get("Database"),
      });
    } finally {
      guest.dispose();
    }
  });
});

function classesOf(declared: Declared): readonly string[] {
  return [...declared.members.keys(), ...declared.statics.keys()].filter(
    (name, index, names) => declared.values.includes(name) && names.indexOf(name) === index,
  );
}

async function namesIn(object: string): Promise<readonly string[]> {
  const names = await evaluateInGuest(`Object.getOwnPropertyNames(${object}).sort()`);
  if (!Array.isArray(names)) throw new Error("No list of names");
  return names.map(String).toSorted();
}

/** Leaves out stubs, which only throw `NotSupported` with an alternative. */
async function withoutRefusals(object: string, names: readonly string[]): Promise<readonly string[]> {
  const refusing = await evaluateInGuest(
    `(async () => {
    const found = [];
    for (const name of ${JSON.stringify(names)}) {
      const value = ${object}[name];
      const uses = typeof value === "function" ? [value] : typeof value === "object" && value !== null ? Object.getOwnPropertyNames(value).map((key) => value[key]) : [];
      let refused = 0;
      for (const use of uses) {
        try { await use(); } catch (error) { if (error.name === "NotSupported" && error.message.startsWith("Cannot use ")) refused++; }
      }
      if (refused > 0 && refused === uses.length) found.push(name);
    }
    return found;
  })()`,
    () => ({ error: { name: "NotFound", message: "no" } }),
  );
  return names.filter((name) => !(refusing as readonly string[]).includes(name));
}
