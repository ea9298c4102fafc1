/** The encoding `base64url`, which the package behind `node:buffer` lacks. */

interface BufferClass {
  from(value: unknown, encoding?: unknown, length?: unknown): object;
  isEncoding(encoding: unknown): boolean;
  readonly prototype: { toString(encoding?: unknown, start?: number, end?: number): string };
}

export function addBase64Url(Buffer: BufferClass): void {
  const { from, isEncoding, prototype } = Buffer;
  const { toString } = prototype;
  const isUrl = (encoding: unknown): boolean => typeof encoding === "string" && encoding.toLowerCase() === "base64url";
  prototype.toString = function (encoding, start, end) {
    const text = toString.call(this, isUrl(encoding) ? "base64" : encoding, start, end);
    return isUrl(encoding) ? text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : text;
  };
  // The package reads both alphabets as base64.
  Buffer.from = (value, encoding, length) => from(value, isUrl(encoding) ? "base64" : encoding, length);
  Buffer.isEncoding = (encoding) => isUrl(encoding) || isEncoding(encoding);
}
