/** Unpacks with the runtime's zlib, which also verifies checksums and is much faster than JavaScript in the sandbox. */

const GZIP_HEADER: Uint8Array<ArrayBuffer> = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** The largest stored block of DEFLATE (RFC 1951, 3.2.4). */
const MAX_STORED = 0xffff;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * @param format as `DecompressionStream` takes it
 * @param maximum limit of unpacked bytes
 * @throws {Error} if the data is damaged, or unpacks to more.
 */
export async function unpack(format: "gzip" | "deflate-raw", parts: readonly Uint8Array[], maximum: number): Promise<Uint8Array> {
  const stream = new DecompressionStream(format);
  const writer = stream.writable.getWriter();
  const written = writeAll(writer, parts);
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of stream.readable) {
      length += piece.length;
      if (length > maximum) throw new RangeError(tooMuch(maximum));
      pieces.push(piece);
    }
    await written;
  } catch (error) {
    // Pending writes fail for the same reason.
    await written.catch(() => undefined);
    if (error instanceof RangeError) throw new Error(tooMuch(maximum));
    throw new Error("its packed data is damaged");
  }
  return joined(pieces, length);
}

/**
 * Unpacks raw DEFLATE data and verifies checksum and size as stated in the archive. The data is wrapped as gzip so that zlib does
 * so.
 *
 * @throws {Error} if checksum or size differs.
 */
export async function unpackChecked(data: Uint8Array, size: number, crc: number): Promise<Uint8Array> {
  return await unpack("gzip", [GZIP_HEADER, data, gzipTrailer(size, crc)], size);
}

/** @throws {Error} if the bytes do not have this CRC-32. */
export async function checkSum(bytes: Uint8Array, crc: number): Promise<void> {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_STORED) {
    const block = bytes.subarray(at, at + MAX_STORED);
    const isLast = at + MAX_STORED >= bytes.length;
    blocks.push(Uint8Array.of(isLast ? 1 : 0, block.length, block.length >> 8, ~block.length, ~block.length >> 8), block);
  }
  await unpack("gzip", [GZIP_HEADER, ...blocks, gzipTrailer(bytes.length, crc)], bytes.length);
}

function gzipTrailer(size: number, crc: number): Uint8Array {
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, size, true);
  return new Uint8Array(trailer.buffer);
}

/** Pass one chunk, because the sandbox unpacks after each. */
async function writeAll(writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>, parts: readonly Uint8Array[]): Promise<void> {
  await writer.write(
    joined(
      parts,
      parts.reduce((sum, part) => sum + part.length, 0),
    ),
  );
  await writer.close();
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function tooMuch(maximum: number): string {
  return `it unpacks to more than the ${maximum} bytes that are stated or allowed`;
}
