/** Client of the server's API: sends the token with every request and reads the event stream. */

import { type Signal, signal } from "@preact/signals";
import type { HostEvent, Problem } from "./types.ts";

const KEPT = "bascule.token";

/** Token of this tab. Session storage is per origin including the port; cookies are shared between ports. */
export const token: Signal<string | undefined> = signal(sessionStorage.getItem(KEPT) ?? undefined);

export function logIn(given: string): void {
  sessionStorage.setItem(KEPT, given);
  token.value = given;
}

export function logOut(): void {
  sessionStorage.removeItem(KEPT);
  token.value = undefined;
}

/** Thrown if the server refuses a request; the message tells why and what to do. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** Further members of the problem document. */
  readonly extras: Readonly<Record<string, unknown>>;
  constructor({ title, detail, status, ...extras }: Problem) {
    super(`${title}: ${detail}`);
    this.status = status;
    this.extras = extras;
  }
}

/** Returns the scopes of a token before login. @throws {RequestError} if the token is unknown. */
export async function scopesOf(given: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${given}` };
  return (await read<{ readonly scopes: readonly string[] }>(await send("/v1/whoami", { headers }))).scopes;
}

/** Sends a request and returns the JSON answer, whose type the caller knows. @throws {RequestError} if the server refuses it. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  return await read<T>(await send(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }));
}

async function read<T>(response: Response): Promise<T> {
  const answer: unknown = await response.json();
  // The answer comes from the server that served this page; `types.ts` has its types.
  if (response.ok) return answer as T;
  throw new RequestError(answer as Problem);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${token.value}`);
  // After logging out, requests of a page that is still loading are not sent.
  if (!headers.has("authorization") && path !== "/v1/login") throw new Error("Logged out");
  if (init.body !== undefined) headers.set("content-type", "application/json");
  const response = await fetch(path, { ...init, headers, credentials: "omit", referrerPolicy: "no-referrer" });
  if (response.status === 401) logOut();
  return response;
}

const RETRY_MS = 2_000;

/** Reads events until the signal fires, and reconnects after the last event. Calls `onState` when the connection changes. */
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
      // The connection broke or the server is closing: report the state below and retry.
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
      // A `gap` needs no handling, because the page reloads its data when a stream begins.
      if (data !== undefined && type !== "gap") yield { ...(id !== undefined && { id }), event: JSON.parse(data) as HostEvent };
    }
  }
}
