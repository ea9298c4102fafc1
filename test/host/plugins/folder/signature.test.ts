import { describe, expect, it } from "vitest";
import { createMemoryPlatform, type MemoryEntry, type MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { type FolderRead, readFolder } from "../../../../host/plugins/folder/read.ts";
import { checkSignature, privateKeyText, signDigest } from "../../../../host/plugins/folder/signature.ts";
import { inRoot, pluginFiles } from "./harness.ts";

const PLACE = { root: "/plugins", rootIndex: 0, folder: "notes" };
const KEY = privateKeyText(new Uint8Array(32).fill(7));
const OTHER_KEY = privateKeyText(new Uint8Array(32).fill(8));
const DIGEST = "ab".repeat(32);

async function sign(digest: string, key = KEY): Promise<{ readonly signer: string; readonly text: string }> {
  const signature = await signDigest(key, digest);
  if (signature === undefined) throw new Error("No key");
  return signature;
}

async function checked(text: string | Uint8Array, digest = DIGEST): Promise<string> {
  const outcome = await checkSignature(typeof text === "string" ? new TextEncoder().encode(text) : text, digest);
  return "signer" in outcome ? outcome.signer : outcome.message;
}

function env(more: Readonly<Record<string, MemoryEntry>> = {}): MemoryPlatform {
  return createMemoryPlatform({ files: inRoot({ ...pluginFiles("notes", "one"), ...more }) });
}

/** The plugin with its signature. */
async function signed(): Promise<{
  readonly platform: MemoryPlatform;
  readonly digest: string;
  readonly text: string;
  readonly signer: string;
}> {
  const platform = env();
  const state = await readFolder(platform, PLACE);
  if (state.kind !== "read") throw new Error(state.kind);
  const { text, signer } = await sign(state.digest);
  platform.plant("/plugins/notes/manifest.sig", text);
  return { platform, digest: state.digest, text, signer };
}

function reasonOf(state: FolderRead): string {
  return state.kind === "refused" ? state.problems.map(({ message }) => message).join() : state.kind;
}

describe("checkSignature()", () => {
  it("uses RFC 8032's key and signs as the RFC does [M12.rfc8032]", async () => {
    // RFC 8032, section 7.1, test 1: the secret key and its public key.
    const seed = Uint8Array.from(Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex"));
    const { signer } = await sign(DIGEST, privateKeyText(seed));
    expect(Buffer.from(signer, "base64").toString("hex")).toBe("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  });

  it("returns the signer of a matching signature, and refuses one of another hash or key [M12]", async () => {
    const { signer, text } = await sign(DIGEST);
    const other = await sign(DIGEST, OTHER_KEY);
    expect([await checked(text), await checked(other.text)]).toEqual([signer, other.signer]);
    expect(await checked(text, "cd".repeat(32))).toMatch(/does not match/);
    expect(await checked(text.replace(signer, other.signer))).toMatch(/does not match/);
  });

  it.each([
    ["an empty file", () => ""],
    ["more white space", (text: string) => text.replace(",", ", ")],
    ["no line end", (text: string) => text.trimEnd()],
    ["a second line", (text: string) => `${text}{}`],
    ["another member", (text: string) => text.replace("}", ',"note":"x"}')],
    ["another order of members", (text: string) => text.replace(/("key":"[^"]*"),("signature":"[^"]*")/, "$2,$1")],
    ["another algorithm", (text: string) => text.replace("Ed25519", "none")],
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
    [
      "a key that is not a point of the curve",
      (text: string) => text.replace(/"key":"[^"]*"/, `"key":"${Buffer.alloc(32, 0xff).toString("base64")}"`),
    ],
    [
      "unused bits",
      (text: string) => text.replace(/(.)=="\}/, (_all, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=="}`),
    ],
  ])("refuses %s, because the file may hold only a key and a signature [M12.smuggle]", async (_what, change) => {
    const { text } = await sign(DIGEST);
    expect(change(text)).not.toBe(text);
    expect(await checked(change(text))).toMatch(/is not a valid bascule signature|does not match/);
  });
});

describe("readFolder()", () => {
  it("names the signer; the signature is neither hashed nor loadable [M12]", async () => {
    const { platform, digest, text, signer } = await signed();
    expect(await readFolder(platform, PLACE)).toMatchObject({ kind: "read", digest, signedBy: { signer, text } });
    const state = await readFolder(platform, PLACE);
    expect(state.kind === "read" && [...state.files.keys()].toSorted()).toEqual(["main.ts", "manifest.json"]);
  });

  it("refuses the plugin if its files are not the signed ones [M12.invalid]", async () => {
    const { platform } = await signed();
    platform.plant("/plugins/notes/main.ts", "two");
    expect(reasonOf(await readFolder(platform, PLACE))).toMatch(/does not match the plugin's files/);
  });

  it.each<[string, MemoryEntry]>([
    ["a link", { link: "/etc/passwd" }],
    ["a folder", { directory: true }],
    ["a special file", { other: true }],
    ["a megabyte", "x".repeat(1024 * 1024)],
  ])("refuses a signature file that is %s [M12.hostile]", async (_what, entry) => {
    expect(reasonOf(await readFolder(env({ "notes/manifest.sig": entry }), PLACE))).toMatch(/manifest.sig/);
  });

  it("notices an added, removed or changed signature [M12.noticed]", async () => {
    const { platform, digest } = await signed();
    const looks = [await readFolder(platform, PLACE)];
    platform.plant("/plugins/notes/manifest.sig", (await sign(digest, OTHER_KEY)).text);
    looks.push(await readFolder(platform, PLACE));
    await platform.files.remove("/plugins/notes/manifest.sig");
    looks.push(await readFolder(platform, PLACE));
    expect(new Set(looks.map((look) => look.kind === "read" && look.signature)).size).toBe(3);
    expect(new Set(looks.map((look) => look.kind === "read" && look.digest)).size).toBe(1);
  });

  it("treats a file of that name in a subfolder like any other [M12.below]", async () => {
    const state = await readFolder(env({ "notes/lib/manifest.sig": "text" }), PLACE);
    expect(state.kind === "read" && state.files.has("lib/manifest.sig")).toBe(true);
  });
});
