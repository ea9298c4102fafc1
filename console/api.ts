/** Talks to the server: a token in every request, and the stream of events. */

import { type Signal, signal } from "@preact/signals";
import type { HostEvent, Problem } from "./types.ts";

const KEPT = "bascule.token";

/** Kept for this tab only: storage is the origin's own, port included, which cookies are not. */
export const token: Signal<string | undefined> = signal(sessionStorage.getItem(KEPT) ?? undefined);

export function logIn(given: string): void {
  sessionStorage.setItem(KEPT, given);
  token.value = given;
}

export function logOut(): void {
  sessionStorage.removeItem(KEPT);
  token.value = undefined;
}

/** The server did not do what it was asked; the message says why and what to do. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  constructor({ title, detail, status }: Problem) {
    super(`${title}: ${detail}`);
    this.status = status;
  }
}

/** What a token that is not used yet is good for. @throws {RequestError} if it is none. */
export async function scopesOf(given: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${given}` };
  return (await read<{ readonly scopes: readonly string[] }>(await send("/v1/whoami", { headers }))).scopes;
}

/** The JSON of an answer, whose shape the caller knows. @throws {RequestError} */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  return await read<T>(await send(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }));
}

async function read<T>(response: Response): Promise<T> {
  const answer: unknown = await response.json();
  // Of the server that served this page; `types.ts` has what it answers.
  if (response.ok) return answer as T;
  throw new RequestError(answer as Problem);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${token.value}`);
  if (init.body !== undefined) headers.set("content-type", "application/json");
  const response = await fetch(path, { ...init, headers, credentials: "omit", referrerPolicy: "no-referrer" });
  if (response.status === 401) logOut();
  return response;
}

const RETRY_MS = 2_000;

/** Reads events until the signal fires; comes back where it left off. `onState` hears whether the server is there. */
export async function followEvents(
  stop: AbortSignal,
  onEvent: (event: HostEvent) => void,
  onState: (isConnected: boolean) => void,
): Promise<void> {
  let last: string | undefined;
  while (!stop.aborted) {
    try {
      const response = await send("/v1/events", { signal: stop, headers: last === undefined ? {} : { "last-event-id": last } });
      if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status}`);
      onState(true);
      for await (const { id, event } of readFrames(response.body)) {
        last = id ?? last;
        if (event !== undefined) onEvent(event);
      }
    } catch {
      // The server is gone or ends: shown by the state, and tried again below.
    }
    if (stop.aborted) return;
    onState(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<{ readonly id?: string; readonly event?: HostEvent }> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const fields = new Map(
        text
          .slice(0, end)
          .split("\n")
          .map((line): [string, string] => {
            const colon = line.indexOf(": ");
            return [line.slice(0, colon), line.slice(colon + 2)];
          }),
      );
      text = text.slice(end + 2);
      const [id, type, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
      // A gap is told by what is loaded anew when the stream begins.
      if (data !== undefined && type !== "gap") yield { ...(id !== undefined && { id }), event: JSON.parse(data) as HostEvent };
    }
  }
}
