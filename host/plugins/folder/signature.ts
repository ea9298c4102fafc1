/**
 * `manifest.sig`: the signature over a plugin's bytes (SPEC M12).
 *
 * The file is not covered by the hash that it signs, so it must not be able to carry anything else: its text is fixed except for a key and
 * a valid signature. No guest can import it, and other spellings of the same JSON are refused.
 */

import type { Problem } from "../../../manifests/mod.ts";
import { folderError } from "./problems.ts";

export const SIGNATURE_FILE = "manifest.sig";
/** Larger than any valid `manifest.sig`. */
export const MAX_SIGNATURE_BYTES = 256;

/** A verified signature. */
export interface PluginSignature {
  /** The public key in base64. */
  readonly signer: string;
  /** The file's text, stored beside copies of the plugin. */
  readonly text: string;
}

const ALGORITHM = "Ed25519";
const FORM = /^\{"algorithm":"Ed25519","key":"([A-Za-z0-9+/]{43}=)","signature":"([A-Za-z0-9+/]{86}==)"\}\n$/;

/** Returns the signed text: the hash with a prefix, so that signatures made for other purposes do not match. */
function signedText(digest: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`bascule plugin ${digest}`);
}

/** Returns the only valid form of the file. Both in base64. */
function signatureText(key: string, signature: string): string {
  return `{"algorithm":"${ALGORITHM}","key":"${key}","signature":"${signature}"}\n`;
}

/** Returns a private key in the form of `openssl genpkey -algorithm ed25519`: PEM around the RFC 8410 form of a seed of 32 bytes. */
export function privateKeyText(seed: Uint8Array): string {
  return `-----BEGIN PRIVATE KEY-----\n${toBase64(Uint8Array.of(...KEY_HEAD, ...seed))}\n-----END PRIVATE KEY-----\n`;
}

/** Returns a signed `manifest.sig`, or undefined if `privateKey` is not in that form. */
export async function signDigest(privateKey: string, digest: string): Promise<PluginSignature | undefined> {
  const [, body = ""] = /^-----BEGIN PRIVATE KEY-----\r?\n([A-Za-z0-9+/=]{64})\r?\n-----END PRIVATE KEY-----\s*$/.exec(privateKey) ?? [];
  const bytes = fromBase64(body);
  if (bytes === undefined || !KEY_HEAD.every((byte, index) => bytes[index] === byte)) return undefined;
  const key = await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  const signature = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, signedText(digest)));
  const signer = `${x.replaceAll("-", "+").replaceAll("_", "/")}=`;
  return { signer, text: signatureText(signer, toBase64(signature)) };
}

/** PKCS #8 prefix of an Ed25519 key, before its seed (RFC 8410, section 7). */
const KEY_HEAD: readonly number[] = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/** Returns the verified signature, or why the plugin is refused. */
export async function checkSignature(bytes: Uint8Array, digest: string): Promise<PluginSignature | Problem> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const [, key = "", signature = ""] = FORM.exec(text) ?? [];
  const [keyBytes, signatureBytes] = [fromBase64(key), fromBase64(signature)];
  if (keyBytes === undefined || signatureBytes === undefined) {
    return folderError(`"${SIGNATURE_FILE}" is not a valid bascule signature`, "sign the plugin again (bascule sign), or delete the file");
  }
  if (await isSignedBy(keyBytes, signatureBytes, signedText(digest))) return { signer: key, text };
  return folderError(
    `"${SIGNATURE_FILE}" does not match the plugin's files`,
    "restore the signed files, sign these (bascule sign), or delete the file",
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
    // Not every 32 bytes are a point of the curve.
    return false;
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Returns undefined for non-canonical base64, so that the same bytes have only one text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "") return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
}
