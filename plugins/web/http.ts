/** Requests whose answers are read up to a limit: a server decides how much it sends, not how much of it is kept. */

/** The answer of a server, up to the limit. */
export interface Answer {
  readonly status: number;
  /** URL after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the answer was cut at the limit. */
  readonly truncated: boolean;
}

/** Options of a request. */
export interface Asking {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** @throws {TypeError} if the URL is not http or https. */
export async function ask(url: string, { method, headers = {}, body, maxBytes, signal }: Asking): Promise<Answer> {
  requireHttp(url);
  const response = await fetch(url, {
    method,
    headers: { accept: "*/*", ...headers },
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  const { bytes, truncated } = await readUpTo(response, maxBytes);
  return {
    status: response.status,
    url: response.url || url,
    contentType: response.headers.get("content-type") ?? "",
    body: bytes,
    truncated,
  };
}

function requireHttp(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`"${url}" is not a URL (write one that begins with https://)`);
}

async function readUpTo(response: Response, maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return { bytes: joined(parts, length), truncated: false };
    const room = maxBytes - length;
    if (piece.value.length > room) {
      parts.push(piece.value.subarray(0, room));
      await reader?.cancel();
      return { bytes: joined(parts, maxBytes), truncated: true };
    }
    parts.push(piece.value);
    length += piece.value.length;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns whether the content type is text. */
export function isText(contentType: string): boolean {
  return /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/(?:javascript|x-www-form-urlencoded)\b)/iu.test(
    contentType.trim(),
  );
}

/** Decodes with the charset that the server names, else UTF-8. A character cut at the end is dropped. */
export function textOf({ body, contentType, truncated }: Answer): string {
  const label = /;\s*charset\s*=\s*"?([\w.:-]+)/iu.exec(contentType)?.[1] ?? "utf-8";
  return decoderFor(label).decode(body, { stream: truncated });
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // Unknown charset.
    return new TextDecoder();
  }
}
