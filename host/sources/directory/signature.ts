/**
 * `manifest.sig`: who vouches for a plugin's bytes (SPEC M12).
 *
 * The file is not part of the digest, which it signs, so it must hold nothing else: its text is fixed but for a key and a
 * signature that have to be right. No guest can import it, and another text of the same meaning is refused.
 */

import type { Problem } from "../../../manifests/mod.ts";
import { folderError } from "./problems.ts";

export const SIGNATURE_FILE = "manifest.sig";
/** More than any `manifest.sig` has. */
export const MAX_SIGNATURE_BYTES = 256;

/** A signature that was checked. */
export interface PluginSignature {
  /** The public key, base64. */
  readonly signer: string;
  /** The file's text, to keep beside copies of the plugin. */
  readonly text: string;
}

const ALGORITHM = "Ed25519";
const FORM = /^\{"algorithm":"Ed25519","key":"([A-Za-z0-9+/]{43}=)","signature":"([A-Za-z0-9+/]{86}==)"\}\n$/;

/** What is signed: the digest, with words before it so that no signature made for something else fits. */
export function signedText(digest: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`bascule plugin ${digest}`);
}

/** The one form of the file. Both in base64. */
export function signatureText(key: string, signature: string): string {
  return `{"algorithm":"${ALGORITHM}","key":"${key}","signature":"${signature}"}\n`;
}

/** Whose signature it is, or why the plugin is refused. */
export async function checkSignature(bytes: Uint8Array, digest: string): Promise<PluginSignature | Problem> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const [, key = "", signature = ""] = FORM.exec(text) ?? [];
  const [keyBytes, signatureBytes] = [fromBase64(key), fromBase64(signature)];
  if (keyBytes === undefined || signatureBytes === undefined) {
    return folderError(
      `"${SIGNATURE_FILE}" is no signature as bascule writes it`,
      "sign the plugin again (bascule sign), or delete the file",
    );
  }
  if (await isSignedBy(keyBytes, signatureBytes, signedText(digest))) return { signer: key, text };
  return folderError(
    `"${SIGNATURE_FILE}" does not fit the plugin's files: they are not what was signed`,
    "take the files that were signed, sign these (bascule sign), or delete the file",
  );
}

async function isSignedBy(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey("raw", key, ALGORITHM, false, ["verify"]);
    return await crypto.subtle.verify(ALGORITHM, imported, signature, text);
  } catch {
    // Some bytes are no point of the curve: nobody has such a key.
    return false;
  }
}

/** Undefined for text with bits to spare: the same bytes have one text only. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "") return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
}
