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
function signedText(digest: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`bascule plugin ${digest}`);
}

/** The one form of the file. Both in base64. */
function signatureText(key: string, signature: string): string {
  return `{"algorithm":"${ALGORITHM}","key":"${key}","signature":"${signature}"}\n`;
}

/** A private key, as `openssl genpkey -algorithm ed25519` writes it: PEM around the RFC 8410 form of a seed of 32 bytes. */
export function privateKeyText(seed: Uint8Array): string {
  return `-----BEGIN PRIVATE KEY-----\n${toBase64(Uint8Array.of(...KEY_HEAD, ...seed))}\n-----END PRIVATE KEY-----\n`;
}

/** The text of a `manifest.sig`; undefined if `privateKey` is no such text. */
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

/** PKCS #8 of an Ed25519 key, before its seed (RFC 8410, section 7). */
const KEY_HEAD: readonly number[] = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

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

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Undefined for text with bits to spare: the same bytes have one text only. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "") return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
}
