/** An endpoint that is compatible with OpenAI's: sends requests and checks answers. */

import type { Context } from "./bascule.d.ts";

/** The part of the context that is used; settings are missing under `deno run`, and defaults apply. */
export type Told = Pick<Context, "signal" | "settings">;

const KEY = "LLM_API_KEY";
const PLACEHOLDER = "bascule_secret_";
const MAX_ANSWER_BYTES: number = 16 * 1024 * 1024;
const MAX_MESSAGE = 300;

/**
 * Posts JSON and returns the JSON answer.
 *
 * @throws {Error} with the endpoint's status and message, or with another failure.
 */
export async function post(path: string, body: object, context: Told): Promise<unknown> {
  const url = addressOf(context.settings.baseUrl, path);
  const key = readKey();
  const response = await fetch(url, {
    method: "POST",
    // A redirect to another host would send it the key and the text.
    redirect: "error",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal: context.signal,
  });
  const text = await readText(response, url);
  if (!response.ok) throw new Error(`"${url}" answered HTTP ${response.status}${messageIn(text)}${adviceFor(response.status, key)}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`"${url}" did not answer with JSON (is it the base URL of an OpenAI-compatible endpoint? see bascule settings llm)`);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function addressOf(baseUrl: string, path: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "")
    throw new Error(
      `The setting "baseUrl" is ${JSON.stringify(baseUrl)}, not a URL (set it: bascule settings llm baseUrl https://api.openai.com/v1)`,
    );
  return `${url.href.replace(/\/+$/u, "")}/${path}`;
}

/** Returns the key's placeholder; the host replaces it with the key. Endpoints on the user's machine often need none. */
function readKey(): string | undefined {
  let key: string | undefined;
  try {
    key = Deno.env.get(KEY);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
  if (key === undefined || key === "") return undefined;
  // V8's API is missing in the sandbox. A key that this code can read could leak.
  if (Deno.version.v8 === "0.0.0" && !key.startsWith(PLACEHOLDER))
    throw new Error(
      `${KEY} is readable by the plugin: list it under "secrets" of bascule.json, { "${KEY}": { "env": "${KEY}", "hosts": ["api.openai.com"] } }, so that only the endpoint sees it`,
    );
  return key;
}

async function readText(response: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  let length = 0;
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return text + decoder.decode();
    length += piece.value.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      throw new Error(`"${url}" answered more than ${MAX_ANSWER_BYTES} bytes`);
    }
    text += decoder.decode(piece.value, { stream: true });
  }
}

/** Reads `{ "error": { "message" } }`, the format of most endpoints. */
function messageIn(text: string): string {
  try {
    const read: unknown = JSON.parse(text);
    const error = isObject(read) ? read["error"] : undefined;
    const message = isObject(error) ? error["message"] : error;
    if (typeof message === "string" && message !== "") return `: ${message.slice(0, MAX_MESSAGE)}`;
  } catch {
    // Not JSON, such as a proxy's page: the status is enough.
    return "";
  }
  return "";
}

function adviceFor(status: number, key: string | undefined): string {
  if (status !== 401 && status !== 403) return "";
  return key === undefined ? ` (it needs a key: grant ${KEY}, see the plugin's README)` : ` (is ${KEY} the right key?)`;
}
