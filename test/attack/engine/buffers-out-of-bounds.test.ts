/** Attack: views of buffers that grow and shrink. A view must end where its buffer does, because the engine's own memory follows. */

import { expect, it } from "vitest";
import { outputOf, SANDBOXES, startSandbox } from "../../support/sandbox.ts";

// Each returns how many unwritten bytes it read, or the name of the error's class.
const SHARED = {
  grown: "const s = new SharedArrayBuffer(8, { maxByteLength: 8192 }); s.grow(8192); return foreign(s);",
  fixedView: "const s = new SharedArrayBuffer(8, { maxByteLength: 8192 }); s.grow(8192); return foreign(s, 8192);",
  reflected: "const s = Reflect.construct(SharedArrayBuffer, [8, { maxByteLength: 8192 }], class {}); return foreign(s, 8192);",
  inherited: "class Own extends SharedArrayBuffer {} return foreign(new Own(8, { maxByteLength: 8192 }), 8192);",
  byPrototype: "const s = new SharedArrayBuffer.prototype.constructor(8, { maxByteLength: 8192 }); return foreign(s, 8192);",
  bySlice: `class Own extends SharedArrayBuffer { static get [Symbol.species]() {
    return function (length) { return new SharedArrayBuffer(length, { maxByteLength: 8192 }); }; } }
    return foreign(new Own(8).slice(0), 8192);`,
};
const NONE = {
  withoutMethods: "return ['grow', 'growable', 'maxByteLength'].filter((name) => name in SharedArrayBuffer.prototype).length;",
  fixed:
    "return foreign(new SharedArrayBuffer(8192)) + foreign(new SharedArrayBuffer(8).slice(0)) + (new SharedArrayBuffer(8, {}).byteLength - 8);",
  resized:
    "const b = new ArrayBuffer(8, { maxByteLength: 8192 }); const a = new Uint8Array(b); b.resize(8192); return foreign(b) + (a.length - 8192);",
  again: "const b = new ArrayBuffer(64, { maxByteLength: 64 }); new Uint8Array(b).fill(7); b.resize(0); b.resize(64); return foreign(b);",
  transferred: "return foreign(new ArrayBuffer(8, { maxByteLength: 8192 }).transfer(8192));",
  sliced:
    "const b = new ArrayBuffer(64, { maxByteLength: 64 }); return foreign(new Uint8Array(b).slice({ valueOf() { b.resize(8); return 0; } }).buffer);",
  shrunk:
    "const b = new ArrayBuffer(64, { maxByteLength: 64 }); const a = new Uint8Array(b, 8, 16); b.resize(10); return a.length + (a[0] ?? 0);",
  filled: `const b = new ArrayBuffer(64, { maxByteLength: 64 }); new Uint8Array(b).fill({ valueOf() { b.resize(8); return 7; } });
    b.resize(64); return foreign(b, 56, 8);`,
};
const OUTSIDE = {
  dataView: "const b = new ArrayBuffer(64, { maxByteLength: 64 }); const d = new DataView(b, 0, 64); b.resize(8); return d.getUint8(60);",
  dataViewSet:
    "const b = new ArrayBuffer(64, { maxByteLength: 64 }); new DataView(b).setUint8(60, { valueOf() { b.resize(8); return 7; } });",
  atomics:
    "const b = new ArrayBuffer(64, { maxByteLength: 64 }); Atomics.store(new Int32Array(b), 15, { valueOf() { b.resize(8); return 7; } });",
};

function plugin(): string {
  const programs = Object.entries({ ...SHARED, ...NONE, ...OUTSIDE }).map(([name, code]) => `${name}() { ${code} }`);
  return `
    function foreign(buffer, length = buffer.byteLength, from = 0) {
      let count = 0;
      for (const byte of new Uint8Array(buffer, from, length)) if (byte !== 0) count++;
      return count;
    }
    const programs = { ${programs.join(",\n")} };
    export const run = () => Object.fromEntries(Object.entries(programs).map(([name, program]) => {
      try { return [name, program()]; } catch (error) { return [name, error.name + ": " + error.message]; }
    }));`;
}

it.each(SANDBOXES)(
  "refuses a growable shared buffer, and enforces the bounds of other buffers, on the %s [B1.buffers]",
  async (_name, options) => {
    await using box = startSandbox(options);
    await box.load("plugin", plugin());
    const refused =
      "TypeError: A growable SharedArrayBuffer is not supported: use a resizable ArrayBuffer, which is equivalent in a single thread";
    expect(outputOf(await box.call("plugin", "run"))).toEqual({
      ...Object.fromEntries(Object.keys(SHARED).map((name) => [name, refused])),
      ...Object.fromEntries(Object.keys(NONE).map((name) => [name, 0])),
      dataView: "TypeError: out of bound",
      dataViewSet: "RangeError: out of bound",
      atomics: "RangeError: Invalid atomic access index",
    });
  },
);
