import { describe, expect, it } from "vitest";
import { createSecrets, type Secrets } from "../../../../host/capabilities/secrets/secrets.ts";
import type { LogLevel } from "../../../../host/platform/platform.ts";
import { compilePermissions, type JsonValue, type Permissions } from "../../../../manifests/mod.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";

const VALUE = `p/w+d "x" ä=&<é>'~`;

async function secretsOf(value: string): Promise<Secrets> {
  const platform = memoryPlatform({}, { env: { KEY: value } });
  const secrets = createSecrets({ platform, sources: () => ({ KEY: { env: "KEY" } }), root: WORKSPACE });
  await secrets.refresh();
  return secrets;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("createSecrets()", () => {
  it.each<[string, string]>([
    ["as it is", VALUE],
    ["in JSON", JSON.stringify(VALUE).slice(1, -1)],
    [
      "in JSON of ASCII",
      JSON.stringify(VALUE)
        .slice(1, -1)
        .replace(/[äé]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ],
    ["in a URL", encodeURIComponent(VALUE)],
    ["in a URL, in lower case", encodeURIComponent(VALUE).toLowerCase()],
    ["in a form", new URLSearchParams({ a: VALUE }).toString().slice(2)],
    [
      "in HTML",
      VALUE.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    ],
    ["in hexadecimal", Buffer.from(VALUE).toString("hex")],
    ["in hexadecimal, in capitals", Buffer.from(VALUE).toString("hex").toUpperCase()],
  ])("redacts a value %s [C7.redacted, AU4]", async (_, form) => {
    const { redact } = await secretsOf(VALUE);
    expect(redact({ text: `a ${form} b ${form}`, [form]: [form] })).toEqual({
      text: "a [secret KEY] b [secret KEY]",
      "[secret KEY]": ["[secret KEY]"],
    });
  });

  it.each(["", "u", "us", "user:", "longer user:"])("redacts a value in base64 that begins with %j [C7.redacted]", async (before) => {
    const { redact } = await secretsOf("hunter2-hunter2");
    for (const encoding of ["base64", "base64url"] as const) {
      const text = JSON.stringify(redact(Buffer.from(`${before}hunter2-hunter2 and more`).toString(encoding))).slice(1, -1);
      expect(text).toContain("[secret KEY]");
      expect(Buffer.from(text.replace(/\[.*\]/, ""), encoding).toString("latin1")).not.toContain("hunter");
    }
  });

  it("changes nothing else, and returns the same object [C7.redacted]", async () => {
    const { redact } = await secretsOf(VALUE);
    const clean: JsonValue = { a: ["\ud800", 1, null, true, { b: "p/w+d" }], __proto__: null };
    expect(redact(clean)).toBe(clean);
  });

  it("redacts values in every line of a log, in messages and fields [C7.redacted, AU4]", async () => {
    const secrets = await secretsOf(VALUE);
    const lines: unknown[] = [];
    const log = { write: (...line: readonly [LogLevel, string, unknown?]) => void lines.push(line), child: () => log };
    const error = new Error("kept as it is");
    secrets
      .redactLog(log)
      .child({})
      .write("info", `a ${VALUE}`, { deep: [{ text: VALUE }], error });
    expect(lines).toEqual([["info", "a [secret KEY]", { deep: [{ text: "[secret KEY]" }], error }]]);
  });

  it("knows a secret of a grant as soon as a call holds it, and after a change both values [C7.redacted]", () => {
    const env: Record<string, string> = { API_KEY: "first value" };
    const memory = memoryPlatform();
    const platform = { ...memory, environment: { ...memory.environment, get: (name: string) => env[name] } };
    const secrets = createSecrets({ platform, sources: () => ({}), root: WORKSPACE });
    const permissions: Permissions = { env: [{ name: "API_KEY", secret: true, hosts: ["a.test"] }] };
    const grant = {
      layers: [{ name: "g", permissions: compilePermissions(permissions, { base: "/" }), unnamed: "none", otherwise: "prompt" }],
    } as const;
    expect(secrets.redact("first value")).toBe("first value");
    secrets.forCall(grant);
    env["API_KEY"] = "second value";
    secrets.forCall(grant);
    expect(secrets.redact("first value, second value")).toBe("[secret API_KEY], [secret API_KEY]");
  });

  it("keeps a call's placeholders and their bindings when the user grants it more [C7.bound, E7]", async () => {
    const platform = memoryPlatform({}, { env: { KEY: VALUE } });
    const secrets = createSecrets({ platform, sources: () => ({}), root: WORKSPACE });
    const grantOf = (permissions: Permissions): Parameters<Secrets["forCall"]>[0] => ({
      layers: [{ name: "g", permissions: compilePermissions(permissions, { base: "/" }), unnamed: "none", otherwise: "prompt" }],
    });
    const bound = (host: string): Permissions => ({ env: [{ name: "KEY", secret: true, hosts: [host] }] });
    const before = secrets.forCall(grantOf(bound("a.test")));
    const given = await before.placeholder("KEY");
    const after = secrets.forCall(grantOf({ ...bound("b.test"), net: ["a.test"] }), before);
    expect(await after.placeholder("KEY")).toEqual(given);
    const [issued] = after.issued.values();
    expect(issued).toMatchObject({ name: "KEY", value: VALUE });
    expect(issued?.refusal(new URL("https://a.test"))).toBeUndefined();
    expect(issued?.refusal(new URL("https://b.test"))).toContain("it is bound to a.test");
    // Placeholders of another call are not shared.
    expect(secrets.forCall(grantOf(bound("a.test"))).issued.size).toBe(0);
  });

  it("leaves base64 of other text as it is [C7.redacted]", async () => {
    const { redact } = await secretsOf("hunter2-hunter2");
    expect(redact(base64("another text altogether"))).toBe(base64("another text altogether"));
  });
});
