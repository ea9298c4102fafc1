/** Writes a result to a file, or shows its images (SPEC AX4). */

import type { ContentBlock, ToolResult } from "../../call/call.ts";
import type { Platform } from "../../platform/platform.ts";

/** The contents of a result: what `--out` writes. */
interface ResultFile {
  readonly about: string;
  readonly contents: string | Uint8Array;
}

/** Returns the first file of a result (an image, a sound, bytes), else its text, else its JSON. */
export function fileOf(result: ToolResult): ResultFile {
  for (const block of result.content) {
    const bytes = bytesOf(block);
    if (bytes !== undefined) return { about: mimeTypeOf(block), contents: bytes };
  }
  const text = result.content.flatMap((block) => textOf(block) ?? []).join("\n");
  if (text !== "") return { about: "text", contents: text };
  if (typeof result.output === "string") return { about: "text", contents: result.output };
  return { about: "JSON", contents: `${JSON.stringify(result.output, undefined, 2)}\n` };
}

function textOf(block: ContentBlock): string | undefined {
  return block.type === "text" || block.type === "resource" ? block.text : undefined;
}

function mimeTypeOf(block: ContentBlock): string {
  return "mimeType" in block && block.mimeType !== undefined ? block.mimeType : "bytes";
}

function bytesOf(block: ContentBlock): Uint8Array | undefined {
  const base64 = block.type === "image" || block.type === "audio" ? block.data : block.type === "resource" ? block.blob : undefined;
  return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
};

/** How a terminal shows images: the protocol of kitty, or that of iTerm2. */
type ImageProtocol = "kitty" | "iterm2";

/** Returns the protocol that the terminal announces in the environment; undefined if it announces none. */
export function imageProtocol({ get }: Pick<Platform["environment"], "get">): ImageProtocol | undefined {
  // A multiplexer between bascule and the terminal drops or garbles images.
  if (get("TMUX") !== undefined || get("STY") !== undefined) return undefined;
  const program = get("TERM_PROGRAM");
  if (get("KITTY_WINDOW_ID") !== undefined || get("TERM") === "xterm-kitty" || program === "ghostty") return "kitty";
  return program === "iTerm.app" || program === "WezTerm" || get("WEZTERM_PANE") !== undefined ? "iterm2" : undefined;
}

/** Base64 characters in one escape sequence of kitty's protocol. */
const KITTY_PIECE = 4_096;

/** Returns the escape sequences that show an image; undefined if the protocol does not take its type. */
export function imageSequence(block: ContentBlock, protocol: ImageProtocol): string | undefined {
  // Base64 cannot hold an escape sequence; `readBlock` does not check it.
  if (block.type !== "image" || !/^[A-Za-z0-9+/]+={0,2}$/.test(block.data)) return undefined;
  if (protocol === "iterm2") return `\x1b]1337;File=inline=1;size=${bytesOf(block)?.length ?? 0}:${block.data}\x07\n`;
  if (block.mimeType !== "image/png") return undefined;
  const pieces = block.data.match(new RegExp(`.{1,${KITTY_PIECE}}`, "g")) ?? [];
  const sequences = pieces.map((piece, index) => {
    const keys = index === 0 ? "a=T,f=100," : "";
    return `\x1b_G${keys}m=${index === pieces.length - 1 ? 0 : 1};${piece}\x1b\\`;
  });
  return `${sequences.join("")}\n`;
}

/** Writes an image, a sound or bytes to the temporary folder, because the terminal cannot show it. @returns the path */
export async function saveBlock(
  block: ContentBlock,
  name: string,
  { files, environment }: Pick<Platform, "files" | "environment">,
): Promise<string | undefined> {
  const bytes = bytesOf(block);
  if (bytes === undefined) return undefined;
  const path = `${environment.tmp}/${name}.${ENDINGS[mimeTypeOf(block)] ?? "bin"}`;
  await files.writeAtomic(path, bytes, 0o600);
  return path;
}
