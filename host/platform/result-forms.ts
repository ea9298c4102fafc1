/** Results of host code that are not JSON (SPEC AX4). The sandbox has the same in `sandbox/guest/call/result-forms.ts`. */

/** URI of the block that bytes become, which names no file. */
export const BYTES_URI = "output:bytes";

/** The parts of a tool output that stands for a value. */
interface FormParts {
  readonly output: { readonly [name: string]: string | number };
  readonly content: readonly object[];
}

/** Returns the parts for bytes, `{ type: "image", mimeType, data }` or `{ type: "file", name, data }`; undefined for every other value. */
export function partsOf(value: unknown): FormParts | undefined {
  if (isBytes(value)) {
    const block = { type: "resource", uri: BYTES_URI, mimeType: "application/octet-stream", blob: toBase64(value) };
    return { output: { type: "bytes", bytes: value.byteLength }, content: [block] };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { type, mimeType, data } = value as Readonly<Record<string, unknown>>;
  if (type === "file") return fileParts(value as Readonly<Record<string, unknown>>);
  if ((type !== "image" && type !== "audio") || typeof mimeType !== "string" || !mimeType.startsWith(`${type}/`)) return undefined;
  if (typeof data !== "string" && !isBytes(data)) return undefined;
  return { output: { type, mimeType }, content: [encoded(value)] };
}

/** Returns the parts for `{ type: "file", name, mimeType?, data }` with bytes; undefined for every other value. */
function fileParts({ name, mimeType: given, data }: Readonly<Record<string, unknown>>): FormParts | undefined {
  if (typeof name !== "string" || !isBytes(data)) return undefined;
  const mimeType = typeof given === "string" ? given : "application/octet-stream";
  const block = { type: "resource", uri: `output:${name}`, mimeType, blob: toBase64(data) };
  return { output: { type: "file", name, mimeType, bytes: data.byteLength }, content: [block] };
}

/** Returns content blocks with base64 where they hold bytes. */
export function encodedContent(content: unknown): unknown {
  return Array.isArray(content)
    ? content.map((block: unknown) => (typeof block === "object" && block !== null ? encoded(block) : block))
    : content;
}

function encoded(block: object): object {
  const { data, blob } = block as Readonly<Record<string, unknown>>;
  return { ...block, ...(isBytes(data) && { data: toBase64(data) }), ...(isBytes(blob) && { blob: toBase64(blob) }) };
}

/** Node's `Buffer` has a JSON form of its own, and keeps it. */
function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && !("toJSON" in value);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
