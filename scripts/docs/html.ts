/** Text as HTML. */

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** Escapes a text for HTML, also within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES.get(character) ?? character);
}

/** Returns the text of a piece of HTML that this folder wrote: without tags, and with its four entities resolved. */
export function textOfHtml(html: string): string {
  let text = html.replaceAll(/<[^>]*>/g, "").replaceAll("&#39;", "'");
  for (const [character, entity] of [...ENTITIES].toReversed()) text = text.replaceAll(entity, character);
  return text;
}

/** Returns a link from one page of the site to another file of it. Relative, so that the site works from any folder, also without a server. */
export function linkBetween(from: string, to: string): string {
  const depth = from.split("/").length - 1;
  return `${"../".repeat(depth)}${to}`;
}
