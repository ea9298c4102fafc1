/**
 * A picture of a result, drawn on a canvas: the bytes become no URL, so the content security policy allows no images at all.
 *
 * The type is that of the bytes' signature, not what the plugin says. SVG is a document and is not shown.
 */

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { bytesText } from "./time.tsx";

/** Maximum characters of base64, and pixels on each side. */
const MAX_BASE64 = 12_000_000;
const MAX_SIDE = 8_192;
const MAX_PIXELS = 16_000_000;
/** Maximum width that is drawn. */
const MAX_DRAWN = 1_600;

/** Signatures of the types that are shown, as the first bytes. */
const SIGNATURES: readonly (readonly [mimeType: string, bytes: readonly (number | undefined)[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]],
];

export function Picture({ data, mimeType }: { readonly data: string; readonly mimeType: string }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, report] = useState<{ readonly isDrawn: boolean; readonly text: string } | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    draw(data, canvas.current).then(
      (text) => isCurrent && report({ isDrawn: true, text }),
      (error: unknown) =>
        isCurrent && report({ isDrawn: false, text: `not shown: ${error instanceof Error ? error.message : "not a picture"}` }),
    );
    return () => {
      isCurrent = false;
    };
  }, [data]);
  return (
    <figure>
      <canvas
        ref={canvas}
        class="result-image"
        hidden={state?.isDrawn !== true}
        role="img"
        aria-label={`Picture of the result (${mimeType})`}
      />
      <figcaption class="soft">
        {mimeType}, {bytesText(Math.floor(data.length * 0.75))}
        {state !== undefined && `, ${state.text}`}
      </figcaption>
    </figure>
  );
}

/** Draws the picture. @returns its size @throws {Error} if it is not a picture that can be shown */
async function draw(data: string, canvas: HTMLCanvasElement | null): Promise<string> {
  if (data.length > MAX_BASE64) throw new Error(`larger than ${bytesText(MAX_BASE64 * 0.75)}`);
  const bytes = bytesOf(data);
  const type = SIGNATURES.find(([, start]) => start.every((byte, index) => byte === undefined || bytes[index] === byte))?.[0];
  if (type === undefined) throw new Error("the bytes are not a PNG, JPEG, GIF or WebP picture");
  const announced = sizeOf(type, bytes);
  if (announced === undefined) throw new Error("its size cannot be read");
  const { width, height } = announced;
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    throw new Error(`${width} × ${height} pixels are too many`);
  const picture = await createImageBitmap(new Blob([bytes], { type }));
  if (canvas !== null) {
    const scale = Math.min(1, MAX_DRAWN / picture.width);
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  }
  picture.close();
  return `${width} × ${height} pixels`;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("the data is not base64");
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reads the size that the header announces, before anything is decoded: a small file can announce a picture of gigabytes. */
function sizeOf(type: string, bytes: Uint8Array<ArrayBuffer>): Size | undefined {
  const view = new DataView(bytes.buffer);
  try {
    if (type === "image/png") return { width: view.getUint32(16), height: view.getUint32(20) };
    if (type === "image/gif") return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    return type === "image/jpeg" ? jpegSize(view) : webpSize(view);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Follows the segments to the frame header (ITU T.81, B.2.2). */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; at < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Reads the first chunk (RFC 9649). */
function webpSize(view: DataView): Size | undefined {
  const kind = view.getUint32(12);
  if (kind === 0x56503858) return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) };
  if (kind === 0x56503820) return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind !== 0x5650384c) return undefined;
  const bits = view.getUint32(21, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
