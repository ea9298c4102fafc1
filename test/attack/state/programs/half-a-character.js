// Leaves decoders with half a character, which the next text would begin with.
const utf8 = new TextDecoder();
const utf16 = new TextDecoder("utf-16le");
const sjis = new TextDecoder("shift_jis");
export function plant() {
  utf8.decode(Uint8Array.of(0xe2, 0x82), { stream: true });
  utf16.decode(Uint8Array.of(0x3d), { stream: true });
  sjis.decode(Uint8Array.of(0x83), { stream: true });
}
export function probe() {
  return [utf8.decode(Uint8Array.of(0xac, 0x41)), utf16.decode(Uint8Array.of(0x41, 0)), sjis.decode(Uint8Array.of(0x41))];
}
