import { describe, expect, it } from "vitest";
import { openEnvelope, sealEnvelope } from "../../../host/cluster/envelope.ts";
import { INLINE_BYTES } from "../../../host/cluster/names.ts";
import { createIdentities } from "../../../host/platform/bus/identities.ts";

const identities = createIdentities();
const identity = identities.create();
const senders = new Map([[identity.publicKey, "alpha"]]);
const SUBJECT = "bascule.test.call.x";
const payload = new TextEncoder().encode('{"a":1}');

describe("openEnvelope()", () => {
  it("returns the sender, the header and the payload of a listed key [CL6.signed]", () => {
    const bytes = sealEnvelope(identity, SUBJECT, { kind: "x", n: 1 }, payload);
    expect(openEnvelope(bytes, SUBJECT, { identities, senders })).toEqual({
      ok: true,
      message: { header: { kind: "x", n: 1 }, payload, name: "alpha", publicKey: identity.publicKey },
    });
  });

  it("refuses each altered bit, every other length and every other subject [CL6.altered]", () => {
    const bytes = sealEnvelope(identity, SUBJECT, { kind: "x" }, payload);
    const accepted: string[] = [];
    const tryIt = (what: string, altered: Uint8Array, subject = SUBJECT): void => {
      if (openEnvelope(altered, subject, { identities, senders }).ok) accepted.push(what);
    };
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = new Uint8Array(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      tryIt(`bit ${bit}`, altered);
    }
    for (let length = 0; length < bytes.length; length++) tryIt(`length ${length}`, bytes.slice(0, length));
    tryIt("longer", new Uint8Array([...bytes, 0]));
    tryIt("subject", bytes, `${SUBJECT}y`);
    expect(accepted).toEqual([]);
  });

  it("refuses keys that are not listed, and names no bytes of the message [CL6.listed]", () => {
    const other = identities.create();
    const bytes = sealEnvelope(other, SUBJECT, {}, payload);
    expect(openEnvelope(bytes, SUBJECT, { identities, senders })).toEqual({
      ok: false,
      reason: `its sender ${other.publicKey} is not listed`,
    });
    bytes.fill(27, 1, 57);
    expect(openEnvelope(bytes, SUBJECT, { identities, senders })).toEqual({
      ok: false,
      reason: "its sender (not a public key) is not listed",
    });
  });

  it("refuses headers and payloads above their size, also of a listed key [CL6.sizes]", () => {
    expect(() => sealEnvelope(identity, SUBJECT, { text: "x".repeat(20_000) })).toThrow(RangeError);
    expect(() => sealEnvelope(identity, SUBJECT, {}, new Uint8Array(INLINE_BYTES + 1))).toThrow(RangeError);
    const bytes = sealEnvelope(identity, SUBJECT, {}, payload);
    const claims = new Uint8Array(bytes);
    new DataView(claims.buffer).setUint32(121, 0xffff_ffff);
    expect(openEnvelope(claims, SUBJECT, { identities, senders })).toEqual({ ok: false, reason: "its header is too large" });
    const huge = new Uint8Array(INLINE_BYTES * 3);
    expect(openEnvelope(huge, SUBJECT, { identities, senders })).toEqual({ ok: false, reason: `it has ${huge.length} bytes` });
    const grown = new Uint8Array(bytes.length + INLINE_BYTES);
    grown.set(bytes);
    expect(openEnvelope(grown, SUBJECT, { identities, senders })).toEqual({ ok: false, reason: "its payload is too large" });
  });
});

describe("identities", () => {
  it("opens a key from its seed, and refuses everything else without repeating it [CL6.key]", () => {
    expect(identities.open(identity.seed).publicKey).toBe(identity.publicKey);
    for (const text of ["", "SUAA", identity.publicKey, identity.seed.slice(0, -1)]) {
      expect(() => identities.open(text)).toThrow(/^The key of the cluster is not the seed of a user's NKey$/);
    }
    expect(identities.isSigned("U", payload, new Uint8Array(64))).toBe(false);
    expect(identities.isSigned(identity.publicKey, payload, new Uint8Array(3))).toBe(false);
  });
});
