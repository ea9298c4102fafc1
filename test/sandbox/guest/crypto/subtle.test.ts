import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";
import { askBoth, askWorker } from "../oracle.ts";

const inside = (body: string): string => `(async () => {
  const s = crypto.subtle;
  const bytes = (text) => new TextEncoder().encode(text);
  const hex = (buffer) => new Uint8Array(buffer).toHex();
  const failure = (promise) => promise.then(() => "done", (error) => [error.constructor.name, error.name, error instanceof DOMException && error.code]);
  const words = (promise) => promise.then(() => "done", (error) => [error.name, error.message]);
  // In which order runtimes list members and usages is their own.
  const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value?.name ?? value]);
  const shown = (key) => key.publicKey ? [shown(key.publicKey), shown(key.privateKey)] : [String(key), key.type, key.extractable, sorted(key.algorithm), [...key.usages].sort()];
  const secret = (name, usages, extra) => s.importKey("raw", bytes("0123456789abcdef"), { name, ...extra }, true, usages);
  ${body}
})()`;

/** Deterministic results, because no random values are involved. */
const FIXED = [
  ...["SHA-1", "sha-256", "SHA-384", "SHA-512", "SHA3-256", "SHA3-384", "SHA3-512"].map((hash) =>
    inside(`return hex(await s.digest("${hash}", bytes("abc")))`),
  ),
  inside(`return hex(await s.digest({ name: "cSHAKE128", outputLength: 256 }, bytes("abc")))`),
  inside(
    `return hex(await s.digest("SHA-256", new DataView(bytes("xabc").buffer, 1))) + hex(await s.digest({ name: "SHA-256" }, new ArrayBuffer(0)))`,
  ),
  inside(`const k = await secret("HMAC", ["sign", "verify"], { hash: "SHA-512" }); const m = await s.sign("HMAC", k, bytes("message"));
    return [hex(m), await s.verify("HMAC", k, m, bytes("message")), await s.verify("hmac", k, m, bytes("massage")), k, sorted(await s.exportKey("jwk", k)), hex(await s.exportKey("raw", k))]`),
  ...["AES-CBC", "AES-GCM", "AES-CTR"].map((name) =>
    inside(`const k = await secret("${name}", ["encrypt", "decrypt"]);
    const p = { name: "${name}", iv: new Uint8Array(16), counter: new Uint8Array(16), length: 64, additionalData: bytes("more") };
    const c = await s.encrypt(p, k, bytes("a text of more than one block")); return [hex(c), new TextDecoder().decode(await s.decrypt(p, k, c))]`),
  ),
  inside(
    `const k = await s.importKey("raw", bytes("pw"), "PBKDF2", false, ["deriveBits"]); return hex(await s.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: bytes("salt"), iterations: 1000 }, k, 256))`,
  ),
  inside(`const k = await s.importKey("raw", bytes("pw"), "HKDF", false, ["deriveBits", "deriveKey"]); const p = { name: "HKDF", hash: "SHA-256", salt: bytes("salt"), info: bytes("info") };
    const d = await s.deriveKey(p, k, { name: "AES-GCM", length: 256 }, true, ["encrypt"]); return [shown(k), hex(await s.deriveBits(p, k, 128)), shown(d), hex(await s.exportKey("raw", d))]`),
  inside(
    `const k = await secret("AES-KW", ["wrapKey", "unwrapKey"]); const w = await s.wrapKey("raw", k, k, "AES-KW"); return [hex(w), await s.unwrapKey("raw", w, k, "AES-KW", "AES-GCM", false, ["decrypt"])]`,
  ),
  inside(
    `const k = await s.importKey("jwk", { kty: "OKP", crv: "Ed25519", d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", ext: true, key_ops: ["sign"] }, "Ed25519", true, ["sign"]); return [k, hex(await s.sign("Ed25519", k, bytes("message"))), sorted({ ...(await s.exportKey("jwk", k)), alg: "" }), hex(await s.exportKey("pkcs8", k))]`,
  ),
  inside(
    `const k = await secret("HMAC", ["sign"], { hash: "SHA-256" }); const c = structuredClone(k); return [c, c !== k, hex(await s.sign("HMAC", c, bytes("x")))]`,
  ),
  inside(`const a = await s.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]), b = await s.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
    const one = hex(await s.deriveBits({ name: "ECDH", public: b.publicKey }, a.privateKey, 256)); return [shown(a), one.length, one === hex(await s.deriveBits({ name: "ECDH", public: a.publicKey }, b.privateKey, null))]`),
  inside(`const a = await s.generateKey({ name: "RSA-OAEP", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, ["encrypt", "decrypt"]);
    const c = await s.encrypt("RSA-OAEP", a.publicKey, bytes("hi")); return [shown(a), new TextDecoder().decode(await s.decrypt({ name: "RSA-OAEP" }, a.privateKey, c)), Object.keys(await s.exportKey("jwk", a.privateKey)).sort()]`),
  ...["ECDSA", "RSASSA-PKCS1-v1_5", "RSA-PSS", "ML-DSA-44"].map((name) =>
    inside(`const p = { name: "${name}", namedCurve: "P-384", hash: "SHA-256", saltLength: 32, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    const { publicKey, privateKey } = await s.generateKey(p, true, ["sign", "verify"]); const made = await s.sign(p, privateKey, bytes("m"));
    const again = await s.importKey("spki", await s.exportKey("spki", publicKey), p, true, ["verify"]);
    return [made.byteLength > 40, await s.verify(p, again, made, bytes("m")), await s.verify(p, publicKey, made, bytes("n"))]`),
  ),
  inside(`const a = await s.generateKey("ML-KEM-768", true, ["encapsulateBits", "decapsulateBits", "encapsulateKey", "decapsulateKey"]); const { sharedKey, ciphertext } = await s.encapsulateBits("ML-KEM-768", a.publicKey);
    return [hex(sharedKey) === hex(await s.decapsulateBits("ML-KEM-768", a.privateKey, ciphertext)), ciphertext.byteLength, Object.keys(await s.encapsulateKey("ML-KEM-768", a.publicKey, "AES-GCM", true, ["encrypt"]))]`),
  `[Object.getOwnPropertyNames(CryptoKey.prototype).sort(), Object.prototype.toString.call(crypto.subtle), crypto.subtle === crypto.subtle, crypto]`,
  `["encrypt", "verify", "deriveBits", "importKey", "unwrapKey", "digest"].map((name) => [crypto.subtle[name].name, crypto.subtle[name].length])`,
];

const REFUSED = [
  `new CryptoKey()`,
  `new SubtleCrypto()`,
  `Object.create(CryptoKey.prototype).type`,
  inside(`return failure(s.digest("SHA-256"))`),
  inside(`return failure(s.digest("MD5", bytes("")))`),
  inside(`return failure(s.digest({}, bytes("")))`),
  inside(`return failure(s.digest("SHA-256", "text"))`),
  inside(`return failure(s.digest.call({}, "SHA-256", bytes("")))`),
  inside(`return failure(s.importKey("raw", bytes("short"), "AES-GCM", true, ["encrypt"]))`),
  inside(`return failure(s.importKey("raw", bytes("0123456789abcdef"), "AES-GCM", true, ["sign"]))`),
  inside(`return failure(s.importKey("raw", bytes("0123456789abcdef"), "AES-GCM", true, []))`),
  inside(`return failure(s.importKey("nonsense", bytes("0123456789abcdef"), "AES-GCM", true, ["encrypt"]))`),
  inside(`return failure(s.importKey("raw", {}, "AES-GCM", true, ["encrypt"]))`),
  inside(`return failure(s.importKey("pkcs8", bytes("nonsense"), { name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]))`),
  inside(`return failure(s.generateKey({ name: "AES-GCM", length: 100 }, true, ["encrypt"]))`),
  inside(`return failure(s.generateKey({ name: "AES-GCM" }, true, ["encrypt"]))`),
  inside(`return failure(s.generateKey("Ed25519", true, []))`),
  inside(`return failure(s.generateKey({ name: "ECDSA", namedCurve: "nope" }, true, ["sign"]))`),
  inside(`return failure(s.sign("HMAC", {}, bytes("")))`),
  inside(
    `const k = await secret("AES-GCM", ["encrypt", "decrypt"]); return words(s.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, k, new Uint8Array(40)))`,
  ),
  inside(
    `const k = await secret("AES-GCM", ["decrypt"]); return words(s.encrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, k, new Uint8Array(40)))`,
  ),
  inside(
    `const k = await secret("AES-GCM", ["encrypt"]); return words(s.encrypt({ name: "AES-CBC", iv: new Uint8Array(16) }, k, new Uint8Array(40)))`,
  ),
  inside(`const k = await secret("HMAC", ["verify"], { hash: "SHA-256" }); return words(s.sign("HMAC", k, bytes("")))`),
  inside(`const k = await secret("HMAC", ["sign"], { hash: "SHA-256" }); return words(s.sign("Ed25519", k, bytes("")))`),
  inside(
    `const k = await s.importKey("raw", bytes("0123456789abcdef"), "AES-GCM", false, ["encrypt"]); return words(s.exportKey("raw", k))`,
  ),
];

describe("crypto.subtle", () => {
  it("computes the same as Deno, with every kind of algorithm [PB2.subtle]", async () => {
    const { deno, guest } = await askBoth(FIXED, askWorker);
    expect(guest).toEqual(deno);
  });

  it("refuses the same as Deno, with the same classes, and the same messages for frequent errors [PB2.subtle]", async () => {
    const { deno, guest } = await askBoth(REFUSED, askWorker);
    expect(guest).toEqual(deno);
  });
});

const HOSTILE = `
const s = crypto.subtle;
export const hashed = new Uint8Array(await s.digest("SHA-256", new Uint8Array(1))).toHex();
export const refused = await s.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign"]).catch((error) => [error.name, error.message]);
export const atLoad = () => [hashed, refused];

let kept;
export async function keep() { kept = await s.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]); return new Uint8Array(await s.sign("HMAC", kept, new Uint8Array(1))).length; }
export async function use() { await s.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]); return s.sign("HMAC", kept, new Uint8Array(1)).then(() => "signed", (error) => [error.name, error.message]); }

const attempt = (promise) => promise.then(() => "done", (error) => [error.name, error.message]);
const password = () => s.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits", "deriveKey"]);
export async function greedy({ iterations, bits }) { return attempt(s.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(8), iterations }, await password(), bits)); }
export async function derived({ iterations, length }) { return attempt(s.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt: new Uint8Array(8), iterations }, await password(), { name: "HMAC", hash: "SHA-256", length }, true, ["sign"])); }
export async function make(algorithm) { return attempt(s.generateKey({ ...algorithm, publicExponent: new Uint8Array(algorithm.exponent ?? [1, 0, 1]) }, true, ["sign"])); }
export async function argon(parameters) { return attempt(s.deriveBits({ name: "Argon2id", nonce: new Uint8Array(16), ...parameters }, await s.importKey("raw-secret", new Uint8Array(8), "Argon2id", false, ["deriveBits"]), 256)); }
export async function many({ count }) { const k = new Uint8Array(16); for (let i = 0; i < count; i++) await s.importKey("raw", k, "AES-GCM", false, ["encrypt"]); return "made"; }
export async function flood({ count }) { const key = await password(); const all = []; for (let i = 0; i < count; i++) all.push(s.deriveBits({ name: "PBKDF2", hash: "SHA-512", salt: new Uint8Array(8), iterations: 1000000 }, key, 512)); return Promise.all(all); }
export const echo = () => "here";
export async function tampered() {
  const k = await s.importKey("raw", new Uint8Array(16), "AES-GCM", false, ["encrypt"]);
  k.usages.push("decrypt");
  k.algorithm.name = "AES-CBC";
  Object.prototype.k = ["1.1"];
  Object.prototype.toJSON = Array.prototype.toJSON = () => { throw new Error("mine") };
  const found = await attempt(s.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, k, new Uint8Array(16)));
  delete Object.prototype.toJSON;
  delete Array.prototype.toJSON;
  return found;
}
`;

describe.each(["metered", "plain"] as const)("keys of crypto.subtle, on the %s engine", (engine) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox({ engine, maximumWorkers: 1 });
    expect(await box.load("plugin", HOSTILE)).toMatchObject({ ok: true });
  });
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  const call = async (name: string, args: Parameters<TestSandbox["call"]>[2] = {}): Promise<unknown> =>
    outputOf(await box.call("plugin", name, args));

  it("are not created while the plugin loads; hashes are computed [B9] [PB2.subtle]", async () => {
    expect(await call("atLoad")).toEqual([
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      ["NotCapable", "Cryptography with keys is not available while the plugin loads; move it into the tool function"],
    ]);
  });

  it("end with their call, even if the session keeps the object [PB2.subtle] [B2.session]", async () => {
    expect(await call("keep", { session: "a" })).toBe(32);
    expect(await call("use", { session: "a" })).toEqual([
      "InvalidAccessError",
      "Key not found: keys end with the call that made them (make or import it in this call)",
    ]);
  });

  it("keep their properties, whatever a program does to the objects [PB2.subtle] [B5]", async () => {
    expect(await call("tampered")).toEqual(["InvalidAccessError", "The requested operation is not valid for the provided key"]);
  });

  it("are bounded in number [PB2.subtle] [B3]", async () => {
    expect(await call("many", { args: { count: 1_000 } })).toBe("made");
    expect(await call("many", { args: { count: 1_025 } })).toMatchObject({ kind: "threw", name: "QuotaExceededError" });
  });

  it("cost no more than a plugin may use, whatever the parameters [PB2.subtle] [B3]", async () => {
    const tooMuch = (wanted: string, allowed: number): unknown => [
      "OperationError",
      `The operation requires ${wanted}; a plugin may use at most ${allowed}`,
    ];
    expect(await call("greedy", { args: { iterations: 2_000, bits: 256 } })).toBe("done");
    expect(await call("greedy", { args: { iterations: 4e9, bits: 256 } })).toEqual(tooMuch("iterations 4000000000", 5_000_000));
    expect(await call("greedy", { args: { iterations: 1e6, bits: 256 * 6 } })).toEqual(
      tooMuch("6000000 rounds (iterations times blocks)", 5_000_000),
    );
    expect(await call("greedy", { args: { iterations: 1, bits: 2 ** 31 } })).toEqual(tooMuch("a length of 2147483648 bits", 8_388_608));
    expect(await call("derived", { args: { iterations: 1e6, length: 2_048 } })).toEqual(
      tooMuch("8000000 rounds (iterations times blocks)", 5_000_000),
    );
    expect(await call("make", { args: { name: "RSA-PSS", hash: "SHA-256", modulusLength: 16_384 } })).toEqual(
      tooMuch("modulusLength 16384", 4_096),
    );
    expect(await call("make", { args: { name: "HMAC", hash: "SHA-256", length: 2 ** 31 } })).toEqual(
      tooMuch("length 2147483648", 8_388_608),
    );
    expect(await call("make", { args: { name: "RSA-PSS", hash: "SHA-256", modulusLength: 2_048, exponent: [2] } })).toEqual([
      "OperationError",
      "The publicExponent is neither 3 nor 65537",
    ]);
    expect(await call("argon", { args: { memory: 64, passes: 2, parallelism: 1 } })).toBe("done");
    expect(await call("argon", { args: { memory: 2 ** 20, passes: 1, parallelism: 1 } })).toEqual(tooMuch("memory 1048576", 65_536));
    expect(await call("argon", { args: { memory: 65_536, passes: 5, parallelism: 1 } })).toEqual(
      tooMuch("327680 KiB in all passes together", 262_144),
    );
  });

  it("leave the worker to other calls while one call uses them, and end with its time [PB2.subtle] [B3] [B10]", async () => {
    const flooding = box.call("plugin", "flood", { args: { count: 200 }, limits: { cpuMs: 1_500 } });
    expect(await call("echo")).toBe("here");
    expect(await flooding).toMatchObject({ ok: false, fault: { kind: "timeout", limit: "cpu", limitMs: 1_500 } });
    expect(await call("greedy", { args: { iterations: 2_000, bits: 256 } })).toBe("done");
    // The worker and its spare, which may not have started yet.
    expect(box.workersStarted).toBeLessThanOrEqual(2);
  });

  it("are out of a call's reach after it is cancelled or exceeds its wall time [PB2.subtle] [B4]", async () => {
    expect(await box.call("plugin", "flood", { args: { count: 50 }, limits: { wallMs: 300 } })).toMatchObject({
      fault: { kind: "timeout", limit: "wall" },
    });
    const controller = new AbortController();
    const flooding = box.call("plugin", "flood", { args: { count: 50 }, signal: controller.signal });
    expect(await call("echo")).toBe("here");
    controller.abort();
    expect(await flooding).toMatchObject({ fault: { kind: "cancelled" } });
    expect(await call("keep")).toBe(32);
  });
});
