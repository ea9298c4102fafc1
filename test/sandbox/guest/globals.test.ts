import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "./engine.ts";

/** Interfaces and objects on a plugin's global object besides those of the language (SPEC appendix B, tiers 1 and 2). */
const WEB = [
  ...[
    "console",
    "setTimeout",
    "setInterval",
    "clearTimeout",
    "clearInterval",
    "queueMicrotask",
    "TextEncoder",
    "TextDecoder",
    "URL",
    "URLSearchParams",
  ],
  ...[
    "structuredClone",
    "AbortController",
    "AbortSignal",
    "Event",
    "EventTarget",
    "CustomEvent",
    "CloseEvent",
    "ErrorEvent",
    "MessageEvent",
    "PromiseRejectionEvent",
  ],
  ...[
    "DOMException",
    "QuotaExceededError",
    "atob",
    "btoa",
    "performance",
    "Performance",
    "PerformanceEntry",
    "PerformanceMark",
    "PerformanceMeasure",
    "crypto",
    "Crypto",
    "CryptoKey",
    "SubtleCrypto",
    "Intl",
  ],
  ...["ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamDefaultController"],
  ...["ReadableByteStreamController", "ReadableStreamBYOBRequest", "WritableStream", "WritableStreamDefaultWriter"],
  ...["WritableStreamDefaultController", "TransformStream", "TransformStreamDefaultController", "ByteLengthQueuingStrategy"],
  ...["CountQueuingStrategy", "TextEncoderStream", "TextDecoderStream", "CompressionStream", "DecompressionStream"],
  ...["Blob", "File", "FormData", "FileReader", "ProgressEvent", "MessageChannel", "MessagePort", "URLPattern"],
  ...["fetch", "Headers", "Request", "Response", "DisposableStack", "AsyncDisposableStack", "SuppressedError"],
  ...[
    "navigator",
    "Navigator",
    "NavigatorUAData",
    "self",
    "reportError",
    "Deno",
    "addEventListener",
    "removeEventListener",
    "dispatchEvent",
  ],
];
/** Present in order to name an alternative. */
const REFUSING = ["WebSocket", "EventSource", "Worker", "SharedWorker", "BroadcastChannel", "WebAssembly"];

const LANGUAGE = [
  ...[
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "Atomics",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "EvalError",
  ],
  ...[
    "FinalizationRegistry",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Function",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterator",
  ],
  ...[
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "SharedArrayBuffer",
  ],
  ...[
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
  ],
  ...[
    "WeakSet",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "globalThis",
    "isFinite",
    "isNaN",
    "parseFloat",
  ],
  ...["parseInt", "undefined", "unescape", "Symbol(Symbol.toStringTag)"],
];

describe("the global object", () => {
  it("has the language and tiers 1 and 2, and nothing of the engine, of the host or of the prelude [PB1] [B5] [B6]", async () => {
    const names = await evaluateInGuest(`Reflect.ownKeys(globalThis).map(String).sort()`);
    expect(names).toEqual([...LANGUAGE, ...WEB, ...REFUSING].sort());
  });

  it("has members with their own names, writable and configurable [PB1]", async () => {
    const found = await evaluateInGuest(`Object.fromEntries(${JSON.stringify([...WEB, ...REFUSING])}.map((name) => {
      const { writable, configurable, value } = Object.getOwnPropertyDescriptor(globalThis, name);
      return [name, [writable && configurable, typeof value === "function" ? value.name : name]];
    }))`);
    expect(found).toEqual(Object.fromEntries([...WEB, ...REFUSING].map((name) => [name, [true, name]])));
  });

  it("enumerates functions and objects, not classes, as in browsers and Deno [PB1]", async () => {
    expect(await evaluateInGuest(`Object.keys(globalThis).sort()`)).toEqual(
      [
        "atob",
        "btoa",
        "clearInterval",
        "clearTimeout",
        "crypto",
        "fetch",
        "navigator",
        "performance",
        "queueMicrotask",
        "reportError",
        "self",
        "setInterval",
        "setTimeout",
        "structuredClone",
      ].sort(),
    );
  });

  it("has classes with named, enumerable methods and without the prelude's helpers [PB1] [B5]", async () => {
    const members =
      await evaluateInGuest(`Object.fromEntries([URL, URLSearchParams, TextDecoder, AbortSignal, AbortController, EventTarget, DOMException, Crypto].map((c) => [c.name,
      [Object.getOwnPropertyNames(c).filter((k) => !/^[A-Z_]+$/.test(k)).sort(), Object.keys(c.prototype).filter((k) => !/^[A-Z_]+$/.test(k)).sort()]]))`);
    expect(members).toEqual({
      URL: [
        ["canParse", "length", "name", "parse", "prototype"],
        [
          "hash",
          "host",
          "hostname",
          "href",
          "origin",
          "password",
          "pathname",
          "port",
          "protocol",
          "search",
          "searchParams",
          "toJSON",
          "toString",
          "username",
        ],
      ],
      URLSearchParams: [
        ["length", "name", "prototype"],
        ["append", "delete", "entries", "forEach", "get", "getAll", "has", "keys", "set", "size", "sort", "toString", "values"],
      ],
      TextDecoder: [
        ["length", "name", "prototype"],
        ["decode", "encoding", "fatal", "ignoreBOM"],
      ],
      AbortSignal: [
        ["abort", "any", "length", "name", "prototype", "timeout"],
        ["aborted", "onabort", "reason", "throwIfAborted"],
      ],
      AbortController: [
        ["length", "name", "prototype"],
        ["abort", "signal"],
      ],
      EventTarget: [
        ["length", "name", "prototype"],
        ["addEventListener", "dispatchEvent", "removeEventListener"],
      ],
      DOMException: [
        ["length", "name", "prototype"],
        ["code", "message", "name"],
      ],
      Crypto: [
        ["length", "name", "prototype"],
        ["getRandomValues", "randomUUID", "subtle"],
      ],
    });
  });

  it("identifies itself by user-agent client hints too [PB1.navigator]", async () => {
    const guest = await startGuest({
      source: `export const tool = async () => {
        const { userAgentData: data } = navigator;
        const illegal = (() => { try { return new NavigatorUAData(); } catch (error) { return error.message; } })();
        return [data.toJSON(), await data.getHighEntropyValues(["bitness", "unknown"]), illegal, navigator.platform, performance instanceof EventTarget];
      }`,
    });
    const brands = [
      { brand: "Deno", version: "2" },
      { brand: "bascule", version: "0" },
    ];
    const low = { brands, mobile: false, platform: "Linux" };
    expect(guest.output()).toEqual([low, { ...low, bitness: "64" }, "Illegal constructor", "Linux x86_64", true]);
    guest.dispose();
  });

  it("identifies itself as bascule, the same on every machine [B9] [PB1]", async () => {
    const guest = await startGuest({
      source: `export const tool = () => [self === globalThis, navigator.userAgent, Deno.cwd(), Deno.args, Deno.noColor, Deno.build.os, Deno.version.deno, Object.isFrozen(Deno.build)]`,
    });
    expect(guest.output({ context: { cwd: "/work/space" } })).toEqual([
      true,
      // As in Deno: modules for several runtimes look for "Deno" in it.
      "Deno/2.9.5 bascule/0.1.0",
      "/work/space",
      [],
      true,
      "linux",
      "2.9.5",
      true,
    ]);
    guest.dispose();
  });

  it("has every class of Deno.errors [PB1.errors]", async () => {
    const found = await evaluateInGuest(
      `Object.entries(Deno.errors).map(([name, E]) => { const e = new E("m", { cause: 1 }); return [name, E.name, e.name, e.message, e.cause, e instanceof Error, String(e)] })`,
    );
    const names = [
      "NotFound",
      "PermissionDenied",
      "ConnectionRefused",
      "ConnectionReset",
      "ConnectionAborted",
      "NotConnected",
      "AddrInUse",
      "AddrNotAvailable",
      "BrokenPipe",
      "AlreadyExists",
      "InvalidData",
      "TimedOut",
      "Interrupted",
      "WriteZero",
      "WouldBlock",
      "UnexpectedEof",
      "BadResource",
      "Http",
      "Busy",
      "NotSupported",
      "FilesystemLoop",
      "IsADirectory",
      "NetworkUnreachable",
      "NotADirectory",
      "NotCapable",
    ];
    expect(found).toEqual(names.map((name) => [name, name, name, "m", 1, true, `${name}: m`]));
  });
});

describe("APIs that a plugin never has", () => {
  const USES: readonly (readonly [use: string, advice: RegExp])[] = [
    ["new Deno.Command('ls')", /^Cannot use Deno\.Command in a plugin: a plugin cannot start processes; /u],
    ["Deno.dlopen('x', {})", /^Cannot use Deno\.dlopen in a plugin: a plugin cannot load native libraries; /u],
    ["Deno.serve(() => {})", /^Cannot use Deno\.serve in a plugin: a plugin cannot listen on a port; /u],
    ["Deno.listen({ port: 1 })", /^Cannot use Deno\.listen in a plugin: /u],
    ["Deno.connect({ port: 1 })", /^Cannot use Deno\.connect in a plugin: a plugin cannot open sockets; /u],
    ["Deno.openKv()", /^Cannot use Deno\.openKv in a plugin: a plugin has no database; /u],
    ["Deno.exit(0)", /^Cannot use Deno\.exit in a plugin: return from the tool function, or throw$/u],
    ["Deno.chdir('/')", /^Cannot use Deno\.chdir in a plugin: /u],
    ["new Worker('x')", /^Cannot use Worker in a plugin: a plugin has one thread; /u],
    ["WebAssembly.instantiate(new Uint8Array())", /^Cannot use WebAssembly\.instantiate in a plugin: /u],
    ["new WebAssembly.Module(new Uint8Array())", /^Cannot use WebAssembly\.Module in a plugin: /u],
    ["new WebSocket('ws://a')", /^Cannot use WebSocket in a plugin: /u],
  ];

  it.each(USES)("%s names an alternative [PB4]", async (use, advice) => {
    const guest = await startGuest({
      source: `export async function tool() { try { await ${use}; return "worked" } catch (error) { return [error.name, error instanceof Deno.errors.NotSupported, error.message] } }`,
    });
    expect(guest.output()).toEqual(["NotSupported", true, expect.stringMatching(advice)]);
    guest.dispose();
  });

  it("rejects if the original returns a promise, so that a handler sees it [PB4]", async () => {
    expect(
      await evaluateInGuest(`Promise.all([Deno.openKv(), WebAssembly.compile()].map((p) => p.then(() => "worked", (e) => e.name)))`),
    ).toEqual(["NotSupported", "NotSupported"]);
  });
});
