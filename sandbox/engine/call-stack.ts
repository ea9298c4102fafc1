/**
 * Reads the guest's call stack out of its memory.
 *
 * Nothing runs in the guest and no byte of it changes, so a call that is observed uses the same fuel as one that is not. The offsets are
 * those of this engine build (structs of quickjs.c); `test/sandbox/engine/call-stack.test.ts` compares the result with the engine's own
 * stacks. The guest controls its memory: every read is bounded, and a stack is only text about the guest itself.
 */

/** One function that is running. Lines and columns count from 1, in the code that the engine runs. */
export interface Frame {
  /** `""` for an anonymous function or the top level of a module. */
  readonly name: string;
  /** Name of the module; `""` for a function of the engine. */
  readonly file: string;
  /** Position of the call that the function waits for. */
  readonly line: number;
  readonly column: number;
  /** Position of the function itself. */
  readonly from: Position;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const MAX_FRAMES = 64;
const MAX_NAME = 128;
const MAX_TEXT = 4_096;
/** Steps through one position table: a function of some 20,000 instructions. */
const MAX_STEPS = 20_000;

/** `struct JSRuntime`. The frame stands before the interrupt handler, which `rejection-hook.ts` finds. */
const RUNTIME = { atoms: 56, frame: 148 };
/** `struct JSStackFrame`. */
const FRAME = { before: 0, callee: 8, position: 28 };
/** `struct JSObject`, with `u.func` and the first properties of a function: `length`, `name`. */
const OBJECT = { class: 6, properties: 24, code: 32 };
const NAME_PROPERTY = 8;
const CLASS_NATIVE = 12;
/** Functions with bytecode: plain, generator, async and async generator functions. */
const CLASS_BYTECODE: ReadonlySet<number> = new Set([13, 16, 54, 58]);
/** `struct JSFunctionBytecode`. */
const CODE = { start: 20, name: 28, file: 68, tableLength: 76, table: 80 };
/** `struct JSString`. */
const STRING = { length: 4, text: 16 };
const TAG_STRING = -7;

/** Returns the stack, innermost function first, at most 64 of them. @param runtime address of the runtime */
export function readCallStack(bytes: Uint8Array, runtime: number): readonly Frame[] {
  const memory = new Memory(bytes);
  const frames: Frame[] = [];
  let at = memory.word(runtime + RUNTIME.frame);
  for (let depth = 0; at !== 0 && depth < MAX_FRAMES; depth++) {
    const frame = readFrame(memory, runtime, at);
    if (frame !== undefined) frames.push(frame);
    at = memory.word(at + FRAME.before);
  }
  return frames;
}

/** Reads a text without running the engine: `""` for any other value. @param value address of the value */
export function readGuestText(bytes: Uint8Array, value: number): string {
  const memory = new Memory(bytes);
  return (memory.word(value + 4) | 0) === TAG_STRING ? memory.text(memory.word(value), MAX_TEXT) : "";
}

function readFrame(memory: Memory, runtime: number, at: number): Frame | undefined {
  const callee = memory.word(at + FRAME.callee);
  const kind = memory.word(callee + OBJECT.class - 2) >>> 16;
  if (kind === CLASS_NATIVE) return { name: ownName(memory, callee), file: "", line: 0, column: 0, from: NOWHERE };
  if (!CLASS_BYTECODE.has(kind)) return undefined;
  const code = memory.word(callee + OBJECT.code);
  const table = memory.word(code + CODE.table);
  const end = table + memory.word(code + CODE.tableLength);
  const passed = memory.word(at + FRAME.position) - memory.word(code + CODE.start) - 1;
  const from = positionAt(memory, table, end, -1);
  return {
    name: ownName(memory, callee) || memory.atom(runtime, memory.word(code + CODE.name)),
    file: memory.atom(runtime, memory.word(code + CODE.file)),
    ...(passed < 0 ? from : positionAt(memory, table, end, passed)),
    from,
  };
}

const NOWHERE: Position = Object.freeze({ line: 0, column: 0 });

/** Returns the name of a function: its second property. `""` if the guest changed that. */
function ownName(memory: Memory, object: number): string {
  const name = memory.word(object + OBJECT.properties) + NAME_PROPERTY;
  return (memory.word(name + 4) | 0) === TAG_STRING ? memory.text(memory.word(name)) : "";
}

const FIRST_OP = 1;
const RANGE = 5;
const BASE = -1;

/** Decodes a table of positions as `find_line_num` of quickjs.c does. @param wanted offset in the bytecode; -1: the function itself */
function positionAt(memory: Memory, table: number, end: number, wanted: number): Position {
  const reader = new Leb128(memory, table);
  let line = reader.unsigned() + 1;
  let column = reader.unsigned() + 1;
  let offset = 0;
  for (let step = 0; wanted >= 0 && reader.at < end && step < MAX_STEPS; step++) {
    const op = reader.byte();
    let nextLine = line;
    if (op === 0) {
      offset += reader.unsigned();
      nextLine += reader.signed();
    } else {
      offset += Math.floor((op - FIRST_OP) / RANGE);
      nextLine += ((op - FIRST_OP) % RANGE) + BASE;
    }
    const nextColumn = column + reader.signed();
    if (wanted < offset) break;
    line = nextLine;
    column = nextColumn;
  }
  return { line, column };
}

/** Reads variable-length numbers of at most five bytes. */
class Leb128 {
  readonly #memory: Memory;
  at: number;
  constructor(memory: Memory, at: number) {
    this.#memory = memory;
    this.at = at;
  }

  byte(): number {
    return this.#memory.byte(this.at++);
  }

  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }

  signed(): number {
    const value = this.unsigned();
    return (value >>> 1) ^ -(value & 1);
  }
}

/** A guest's memory, which reads as zeros outside its bounds. */
class Memory {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  word(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length ? this.#view.getUint32(at, true) : 0;
  }

  /** Returns the text of an atom. */
  atom(runtime: number, atom: number): string {
    // Numbers are atoms without a text.
    if (atom >= 2 ** 31) return String(atom - 2 ** 31);
    return atom === 0 ? "" : this.text(this.word(this.word(runtime + RUNTIME.atoms) + atom * 4));
  }

  /** Returns a text, cut to `maximum` units, without control characters other than line ends. */
  text(at: number, maximum: number = MAX_NAME): string {
    const head = this.word(at + STRING.length);
    const length = Math.min(maximum, head & 0x7fff_ffff);
    const isWide = head >>> 31 === 1;
    let text = "";
    for (let index = 0; index < length; index++) {
      const place = at + STRING.text + (isWide ? index * 2 : index);
      text += String.fromCharCode(isWide ? this.byte(place) | (this.byte(place + 1) << 8) : this.byte(place));
    }
    return text.replace(/[^\P{Cc}\n]/gu, " ");
  }
}
