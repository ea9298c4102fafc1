/** The two tools in AssemblyScript, against Extism's own imports. They read only the shape of JSON text that they are sent. */

export const EXTISM_SOURCE = `
@external("extism:host/env", "input_length") declare function inputLength(): u64;
@external("extism:host/env", "input_load_u8") declare function inputByte(at: u64): u32;
@external("extism:host/env", "input_load_u64") declare function inputWord(at: u64): u64;
@external("extism:host/env", "alloc") declare function allocate(length: u64): u64;
@external("extism:host/env", "store_u8") declare function outputByte(address: u64, value: u32): void;
@external("extism:host/env", "store_u64") declare function outputWord(address: u64, value: u64): void;
@external("extism:host/env", "output_set") declare function outputSet(address: u64, length: u64): void;

export function onAbort(message: usize, file: usize, line: u32, column: u32): void { unreachable(); }

function input(): Uint8Array {
  const length = inputLength();
  const bytes = new Uint8Array(i32(length));
  let at: u64 = 0;
  for (; at + 8 <= length; at += 8) store<u64>(bytes.dataStart + usize(at), inputWord(at));
  for (; at < length; at++) bytes[i32(at)] = u8(inputByte(at));
  return bytes;
}

function output(bytes: Uint8Array): void {
  const length = u64(bytes.length);
  const address = allocate(length);
  let at: u64 = 0;
  for (; at + 8 <= length; at += 8) outputWord(address + at, load<u64>(bytes.dataStart + usize(at)));
  for (; at < length; at++) outputByte(address + at, bytes[i32(at)]);
  outputSet(address, length);
}

export function echo(): i32 { output(input()); return 0; }

const STOP_WORDS = new Set<string>();
const LISTED: string[] = ["the", "a", "an", "of", "to", "in", "and", "is", "it", "that", "for", "on", "with", "as", "was"];
for (let i = 0; i < LISTED.length; i++) STOP_WORDS.add(LISTED[i]);

class Entry { constructor(public word: string, public count: i32) {} }

export function words(): i32 {
  const json = String.UTF8.decode(input().buffer);
  const from = json.indexOf('"text":"') + 8;
  const to = json.indexOf('"', from);
  const text = json.substring(from, to).toLowerCase();
  if (text.includes("\\\\")) return 1;
  const limit = i32(parseInt(json.substring(json.indexOf('"limit":') + 8)));
  const counts = new Map<string, i32>();
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const c = i < text.length ? text.charCodeAt(i) : 32;
    const isLetter = (c >= 97 && c <= 122) || c == 39;
    if (isLetter && start < 0) start = i;
    if (isLetter || start < 0) continue;
    const word = text.substring(start, i);
    start = -1;
    if (!STOP_WORDS.has(word)) counts.set(word, counts.has(word) ? counts.get(word) + 1 : 1);
  }
  const keys = counts.keys();
  const entries: Entry[] = [];
  for (let i = 0; i < keys.length; i++) entries.push(new Entry(keys[i], counts.get(keys[i])));
  entries.sort((a, b) => a.count != b.count ? b.count - a.count : a.word < b.word ? -1 : 1);
  let top = "";
  for (let i = 0; i < entries.length && i < limit; i++)
    top += (i > 0 ? "," : "") + '["' + entries[i].word + '",' + entries[i].count.toString() + "]";
  output(Uint8Array.wrap(String.UTF8.encode('{"distinct":' + entries.length.toString() + ',"top":[' + top + "]}")));
  return 0;
}
`;
