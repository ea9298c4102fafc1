/** How much the host's thread was handed to parse, write and decode at once. Workers have globals of their own. */

import { vi } from "vitest";

export interface HostReads {
  /** Of the longest text or bytes, since the last time it was asked. */
  longest(): number;
  /** How long each one was that was longer than 64 KB. */
  readonly large: readonly number[];
  [Symbol.dispose](): void;
}

export function recordHostReads(): HostReads {
  let most = 0;
  const large: number[] = [];
  const note = (length: number): void => {
    most = Math.max(most, length);
    if (length > 64 * 1024) large.push(length);
  };
  const { parse, stringify } = JSON;
  const decode = TextDecoder.prototype.decode;
  const spies = [
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      note(text.length);
      return parse(text, reviver) as unknown;
    }),
    vi.spyOn(JSON, "stringify").mockImplementation((value: unknown, replacer?: unknown, space?: string | number) => {
      const text = stringify(value, replacer as never, space);
      note(text?.length ?? 0);
      return text;
    }),
    vi.spyOn(TextDecoder.prototype, "decode").mockImplementation(function (this: InstanceType<typeof TextDecoder>, bytes, options) {
      note(bytes?.byteLength ?? 0);
      return decode.call(this, bytes, options);
    }),
  ];
  return {
    large,
    longest() {
      const longest = most;
      most = 0;
      return longest;
    },
    [Symbol.dispose]() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
