/** Text with highlighting of JSON and TypeScript. The text is a plugin's: it is only ever text of elements, and its size is bounded. */

import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parser as scriptParser } from "@lezer/javascript";
import { parser as jsonParser } from "@lezer/json";
import { Check, Copy } from "lucide";
import { Fragment, type VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../data/types.ts";
import { Button } from "./button.tsx";
import { bytesText } from "./time.tsx";

export type Language = "json" | "typescript" | "text";

/** Maximum size that is shown at first, and that a button shows. Each line is an element of the page. */
const FIRST_SHOWN = { characters: 20_000, lines: 1_000 };
const MAX_SHOWN = { characters: 400_000, lines: 8_000 };
/** Maximum characters that are highlighted: each token is an element of the page. */
const MAX_HIGHLIGHTED = 60_000;

const PARSERS = { json: jsonParser, typescript: scriptParser.configure({ dialect: "ts" }) } as const;

const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "tok-string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "tok-atom" },
  { tag: tags.propertyName, class: "tok-name" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "tok-keyword" },
  { tag: [tags.typeName, tags.className], class: "tok-type" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], class: "tok-function" },
  { tag: tags.comment, class: "tok-comment" },
]);

export interface Token {
  readonly text: string;
  readonly kind: string;
}

/** Splits a text into lines of tokens. */
export function highlight(text: string, language: Language): readonly (readonly Token[])[] {
  if (language === "text" || text.length > MAX_HIGHLIGHTED) return text.split("\n").map((line) => [{ text: line, kind: "" }]);
  const lines: Token[][] = [[]];
  highlightCode(
    text,
    PARSERS[language].parse(text),
    HIGHLIGHTER,
    (part, kind) => void lines.at(-1)?.push({ text: part, kind }),
    () => void lines.push([]),
  );
  return lines;
}

/** A block of text. `first` is the number of the first line; without it lines have no numbers. It scrolls, so it takes the focus. */
export function Code({
  label,
  text,
  language = "text",
  first,
}: {
  readonly label: string;
  readonly text: string;
  readonly language?: Language;
  readonly first?: number;
}): VNode {
  const [isWhole, showWhole] = useState(false);
  const shown = useMemo(() => beginningOf(text, isWhole ? MAX_SHOWN : FIRST_SHOWN), [text, isWhole]);
  const lines = useMemo(() => highlight(shown, language), [shown, language]);
  return (
    <div class="code-frame">
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        {lines.map((tokens, index) => (
          <Fragment key={index}>
            <span class="code-line">
              {first !== undefined && (
                <span class="line-number" aria-hidden="true">
                  {first + index}
                </span>
              )}
              {tokens.map((token, place) =>
                token.kind === "" ? (
                  token.text
                ) : (
                  <span key={place} class={token.kind}>
                    {token.text}
                  </span>
                ),
              )}
            </span>
            {"\n"}
          </Fragment>
        ))}
      </pre>
      <CopyButton label={label} text={text} />
      {shown.length < text.length && (
        <p class="code-rest">
          {bytesText(shown.length)} of {bytesText(text.length)} shown{" "}
          {!isWhole && <Button onClick={() => showWhole(true)}>Show more</Button>}
        </p>
      )}
    </div>
  );
}

function beginningOf(text: string, most: typeof MAX_SHOWN): string {
  let end = -1;
  for (let line = 0; line < most.lines; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1 || end > most.characters) return text.slice(0, most.characters);
  }
  return text.slice(0, end);
}

/** A JSON value; a string is shown without quotes. */
export function JsonCode({ label, value }: { readonly label: string; readonly value: Json }): VNode {
  const text = useMemo(() => (typeof value === "string" ? value : JSON.stringify(value, null, 2)), [value]);
  return <Code label={label} text={text} language={typeof value === "string" ? "text" : "json"} />;
}

function CopyButton({ label, text }: { readonly label: string; readonly text: string }): VNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="code-copy">
      <Button variant="ghost" icon={isCopied ? Check : Copy} label={isCopied ? "Copied" : `Copy ${label}`} onClick={() => void copy()} />
    </span>
  );
}
