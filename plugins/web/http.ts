/** Requests whose answers are read up to a limit: a server decides how long it talks, not how much of it is kept. */

/** What a server answered, as far as it was read. */
export interface Answer {
  readonly status: number;
  /** Where redirects led. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** There was more. */
  readonly truncated: boolean;
}

/** How to ask. */
export interface Asking {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** @throws {TypeError} for what is no http or https URL. */
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
  if (protocol !== "http:" && protocol !== "https:")
    throw new TypeError(`"${url}" is no web address (write one that begins with https://)`);
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

/** Whether the bytes are for reading. */
export function isText(contentType: string): boolean {
  return /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/(?:javascript|x-www-form-urlencoded)\b)/iu.test(
    contentType.trim(),
  );
}

/** In the charset that the server names, else UTF-8. A character that was cut in two is left out. */
export function textOf({ body, contentType, truncated }: Answer): string {
  const label = /;\s*charset\s*=\s*"?([\w.:-]+)/iu.exec(contentType)?.[1] ?? "utf-8";
  return decoderFor(label).decode(body, { stream: truncated });
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // A charset that nobody knows.
    return new TextDecoder();
  }
}
