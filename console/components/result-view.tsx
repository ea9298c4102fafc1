/** A result as a reader wants it: text, tables, pictures, else JSON. All of it is a plugin's: text only, sizes bounded, checked types. */

import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ContentBlock, Json, JsonObject } from "../data/types.ts";
import { Badge } from "./badge.tsx";
import { Code, JsonCode } from "./code.tsx";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";
import { Button } from "./button.tsx";

/** Maximum rows and columns of a table, and characters of a cell. */
const MAX_ROWS = 200;
const MAX_COLUMNS = 20;
const MAX_CELL = 200;
/** Maximum content blocks that are shown. */
const MAX_BLOCKS = 50;

export function ResultView({ output, content }: { readonly output: Json; readonly content: readonly ContentBlock[] }): VNode {
  const isOutputShown =
    content.length === 0 || (output !== null && !content.map(textIn).some((text) => text === output || isSameJson(text, output)));
  return (
    <div class="result-parts">
      {content.slice(0, MAX_BLOCKS).map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {content.length > MAX_BLOCKS && <p class="soft">and {content.length - MAX_BLOCKS} more parts</p>}
      {isOutputShown && <Output value={output} />}
    </div>
  );
}

function isSameJson(text: string | undefined, output: Json): boolean {
  return text !== undefined && text.length < 200_000 && text === JSON.stringify(output);
}

function textIn(block: ContentBlock): string | undefined {
  return "text" in block ? block.text : undefined;
}

function Block({ block }: { readonly block: ContentBlock }): VNode {
  if (block.type === "image") return <Picture data={block.data} mimeType={block.mimeType} />;
  const text = textIn(block);
  if (text !== undefined) return <Code label="Text" text={text} />;
  return (
    <p class="soft">
      <Badge>{block.type}</Badge> {"mimeType" in block && block.mimeType} {"uri" in block && block.uri}
    </p>
  );
}

function Output({ value }: { readonly value: Json }): VNode {
  const [asJson, showJson] = useState(false);
  const columns = useMemo(() => columnsOf(value), [value]);
  if (columns === undefined || !isRows(value)) return <JsonCode label="Output" value={value} />;
  return (
    <>
      <div class="actions">
        <Button isPressed={!asJson} onClick={() => showJson(false)}>
          Table
        </Button>
        <Button isPressed={asJson} onClick={() => showJson(true)}>
          JSON
        </Button>
      </div>
      {asJson ? (
        <JsonCode label="Output" value={value} />
      ) : (
        <Table
          caption="Output"
          rows={value.slice(0, MAX_ROWS)}
          keyOf={(_row, index) => index}
          columns={columns.map((name) => ({
            title: name,
            show: (row: JsonObject) => cellText(Object.hasOwn(row, name) ? row[name] : undefined),
            ...(value.every((row) => typeof row[name] === "number") && { align: "right" as const }),
          }))}
        />
      )}
      {!asJson && value.length > MAX_ROWS && (
        <p class="soft">
          {MAX_ROWS} of {value.length} rows shown; JSON has the rest
        </p>
      )}
    </>
  );
}

function isRows(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));
}

/** Returns the columns of a list of flat objects; undefined if the value is something else. */
function columnsOf(value: Json): readonly string[] | undefined {
  if (!isRows(value)) return undefined;
  const names = [...new Set(value.slice(0, MAX_ROWS).flatMap((row) => Object.keys(row)))];
  return names.length > 0 && names.length <= MAX_COLUMNS ? names : undefined;
}

function cellText(value: Json | undefined): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}
