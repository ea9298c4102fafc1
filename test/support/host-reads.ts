/** Records the sizes of texts and bytes that the host's thread parses, stringifies and decodes. Workers have their own globals. */

import { vi } from "vitest";

export interface HostReads {
  /** Returns the length of the longest text or bytes since the last call. */
  longest(): number;
  /** Lengths above 64 KB. */
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
