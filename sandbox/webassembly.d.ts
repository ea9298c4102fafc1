/**
 * The part of the WebAssembly JavaScript API that the sandbox uses (https://webassembly.github.io/spec/js-api/). TypeScript declares it
 * only in its DOM library.
 */
declare namespace WebAssembly {
  type ImportValue = ((...args: number[]) => unknown) | Memory | Global | number;
  /** An import with i64 parameters, which are bigints in JavaScript. */
  type LongImport = (...args: [number, bigint, bigint, number]) => void;
  type Imports = Record<string, Record<string, ImportValue>>;
  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): { name: string; kind: string }[];
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports: Imports | Record<string, Record<string, LongImport>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Global {
    value: number;
  }
  class Table {
    readonly length: number;
    grow(entries: number, value: unknown): number;
  }
  /** JavaScript Promise Integration (https://webassembly.github.io/js-promise-integration/); undefined where the runtime lacks it. */
  const Suspending: (new (task: (...args: number[]) => unknown) => (...args: number[]) => unknown) | undefined;
  const promising: ((entry: (...args: number[]) => number) => (...args: number[]) => Promise<number>) | undefined;
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
  function validate(bytes: Uint8Array): boolean;
}
