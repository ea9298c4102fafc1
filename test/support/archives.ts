/** Builds zip and tar archives for tests, well-formed or malformed. */

import { zipSync } from "fflate";

const encoder = new TextEncoder();

/** Builds a zip file with these files. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, typeof text === "string" ? encoder.encode(text) : text])),
  );
}

/** One member of a tar file. */
export interface TarMember {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** Type flag. Default: a file. */
  readonly type?: string;
  /** Size in the header, if it differs from the real one. */
  readonly size?: number;
  readonly prefix?: string;
}

/** Builds a tar file with correct checksums, even if other fields are invalid. */
export function tarOf(members: readonly TarMember[]): Uint8Array {
  const blocks = members.flatMap((member) => {
    const content = typeof member.content === "string" ? encoder.encode(member.content) : (member.content ?? new Uint8Array());
    const padded = new Uint8Array(Math.ceil(content.length / 512) * 512);
    padded.set(content);
    return [headerOf(member, content.length), padded];
  });
  return Buffer.concat([...blocks, new Uint8Array(1024)]);
}

/** Returns the text of a pax header. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = encoder.encode(rest).length;
  const digits = String(length + 2).length;
  return `${length + digits}${rest}`;
}

function headerOf({ name, type = "0", size, prefix = "" }: TarMember, length: number): Uint8Array {
  const block = new Uint8Array(512);
  const put = (at: number, text: string): void => block.set(encoder.encode(text), at);
  put(0, name);
  put(100, "0000644\0");
  put(124, `${(size ?? length).toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, "        ");
  put(156, type);
  put(257, "ustar\u000000");
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}
