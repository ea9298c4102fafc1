/** Tools that access the web. The plugin's grants decide which hosts they reach. */

import type {
  Context,
  FetchDocsArgs,
  FetchDocsOutput,
  FetchWikipediaArgs,
  FetchWikipediaOutput,
  HttpGetArgs,
  HttpGetOutput,
  HttpPostArgs,
  HttpPostOutput,
  WebSearchArgs,
  WebSearchOutput,
} from "./bascule.d.ts";
import { readHtml } from "./html.ts";
import { type Answer, ask, isText, textOf } from "./http.ts";

type Told = Pick<Context, "signal" | "settings">;

const PAGE_BYTES = 4 * 1024 * 1024;
const AGENT = { "user-agent": "bascule-web/1.0" };

/** Returns every answer of the server, including those with a status such as 404. */
export async function http_get(args: HttpGetArgs, context?: Told): Promise<HttpGetOutput> {
  const { url, headers = {}, maxBytes } = args;
  return shown(await ask(url, { method: "GET", headers: headersOf(headers), maxBytes, signal: context?.signal }));
}

/** Sends JSON or a text. */
export async function http_post(args: HttpPostArgs, context?: Told): Promise<HttpPostOutput> {
  const { url, json, text, headers = {}, maxBytes } = args;
  if ((json === undefined) === (text === undefined)) throw new Error('Give either "json" or "text", not both or neither');
  const body = text ?? JSON.stringify(json);
  const type = { "content-type": text === undefined ? "application/json" : "text/plain; charset=utf-8" };
  return shown(await ask(url, { method: "POST", headers: { ...type, ...headersOf(headers) }, body, maxBytes, signal: context?.signal }));
}

/** Returns a page as text, in pieces; the first piece by default. */
export async function fetch_docs(args: FetchDocsArgs, context?: Told): Promise<FetchDocsOutput> {
  const { url, offset, maxCharacters } = args;
  const answer = await page(url, context);
  const isHtml = /html/iu.test(answer.contentType);
  if (!isHtml && !isText(answer.contentType)) throw new Error(`"${url}" is ${answer.contentType || "of unknown type"}, not text`);
  const { title, text } = isHtml ? readHtml(textOf(answer)) : { title: "", text: textOf(answer) };
  const characters = [...text];
  const end = Math.min(offset + maxCharacters, characters.length);
  return {
    url: answer.url,
    title,
    text: characters.slice(offset, end).join(""),
    characters: characters.length,
    ...(end < characters.length && { nextOffset: end }),
  };
}

/** Queries the configured search engine, whose answers must have SearXNG's format. */
export async function web_search(args: WebSearchArgs, context?: Told): Promise<WebSearchOutput> {
  const { query, count } = args;
  const template = context?.settings.searchUrl ?? "";
  if (template === "") throw new Error("No search engine is set (bascule settings web searchUrl 'https://…/search?format=json&q={query}')");
  if (!template.includes("{query}")) throw new Error('The setting "searchUrl" must contain {query}');
  const found = await json(template.replaceAll("{query}", encodeURIComponent(query)), context);
  const list = isObject(found) && Array.isArray(found["results"]) ? (found["results"] as unknown[]) : undefined;
  if (list === undefined) throw new Error('No "results" in the search engine answer (is "format=json" in searchUrl, and allowed there?)');
  const results = list
    .filter(isObject)
    .map(({ title, url, content }) => ({ title: asText(title), url: asText(url), snippet: asText(content) }));
  return { results: results.filter(({ url }) => url !== "").slice(0, count) };
}

/** Returns the text of an article. */
export async function fetch_wikipedia(args: FetchWikipediaArgs, context?: Told): Promise<FetchWikipediaOutput> {
  const { title, language, summary } = args;
  const query = new URLSearchParams({ action: "query", format: "json", formatversion: "2", prop: "extracts|info", inprop: "url" });
  for (const [name, value] of Object.entries({ explaintext: "1", redirects: "1", titles: title })) query.set(name, value);
  if (summary) query.set("exintro", "1");
  const found = await json(`https://${language}.wikipedia.org/w/api.php?${query.toString()}`, context);
  const [article] =
    isObject(found) && isObject(found["query"]) && Array.isArray(found["query"]["pages"]) ? (found["query"]["pages"] as unknown[]) : [];
  if (!isObject(article) || article["missing"] === true || typeof article["extract"] !== "string")
    throw new Error(`Wikipedia (${language}) has no article "${title}" (try another spelling, or web_search)`);
  return { title: asText(article["title"]), url: asText(article["fullurl"]), text: article["extract"] };
}

async function page(url: string, context: Told | undefined): Promise<Answer> {
  const answer = await ask(url, { method: "GET", headers: AGENT, maxBytes: PAGE_BYTES, signal: context?.signal });
  if (answer.status < 200 || answer.status > 299) throw new Error(`HTTP ${answer.status}: ${url}`);
  return answer;
}

async function json(url: string, context: Told | undefined): Promise<unknown> {
  const answer = await page(url, context);
  try {
    return JSON.parse(textOf(answer)) as unknown;
  } catch {
    throw new Error(`"${url}" answered with ${answer.contentType || "an unknown type"}`);
  }
}

function shown(answer: Answer): HttpGetOutput {
  const { status, url, contentType, body, truncated } = answer;
  const content = isText(contentType) ? { text: textOf(answer) } : { base64: toBase64(body) };
  return { status, url, contentType, bytes: body.length, truncated, ...content };
}

/** Lower-case names, so that none is duplicated. */
function headersOf(headers: object): Record<string, string> {
  return { ...AGENT, ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])) };
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
