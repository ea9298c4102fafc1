import { describe, expect, it } from "vitest";
import { parseLockSlices } from "../../../host/plugins/consent/lock-text.ts";
import { createPolicy } from "../../../host/policy/policy.ts";
import { createSession } from "../../../host/call/session.ts";
import type { TrustRequest } from "../../../host/project/trust/trust-requests.ts";
import type { Limits } from "../../../manifests/mod.ts";
import { consentWorld, LOCK, ROOT } from "../../support/consent-world.ts";
import { drained } from "../../support/drained.ts";
import { manifest, pluginFiles, tool } from "../../host/plugins/folder/harness.ts";

type World = Awaited<ReturnType<typeof consentWorld>>;

const MIB = 1024 * 1024;
const BIG = { limits: { memoryBytes: 256 * MIB, cpuMs: 60_000 } };
const BIGGER = { limits: { memoryBytes: 512 * MIB, cpuMs: 60_000 } };
const session = createSession({ id: "session-1", workspace: "/w" });
const child = createSession({ id: "session-2", workspace: "/w", parent: session });

/** Returns the limits of a call of the tool. */
function limitsOf({ registry, consent }: World, name: string, by = session): Limits | undefined {
  const found = registry.snapshot().find(name);
  const policy = createPolicy({ root: ROOT, grants: { find: () => undefined }, acceptedLimits: consent.acceptedLimits });
  const decision = found && policy.decide(found, { session: by });
  return decision === undefined || decision.kind === "deny" ? undefined : decision.limits;
}

/** Memory in MiB, then CPU and wall time in seconds. */
function held(env: World, name = "notes_run", by = session): readonly unknown[] {
  const limits = limitsOf(env, name, by);
  return limits === undefined ? [] : [limits.memoryBytes / MIB, limits.cpuMs / 1_000, limits.wallMs / 1_000];
}

const DEFAULTS = [64, 10, 30];

async function accept(env: World, plugin = "notes"): Promise<string> {
  const status = env.status(plugin);
  return (await env.acts.accept(plugin, status?.held?.digest ?? status?.digest ?? "")).kind;
}

describe("limits above the defaults", () => {
  it("do not apply until the user accepts them, and then exactly those [B3.consent] [LV1.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    expect([env.status("notes")?.state, held(env)]).toEqual(["loaded", DEFAULTS]);
    expect([await accept(env), held(env), held(env, "notes_run", child)]).toEqual(["accepted", [256, 60, 30], [256, 60, 30]]);
    expect(env.lock.entries().get("notes")?.acceptedLimits).toEqual(BIG.limits);
    const later = await env.restart();
    expect(held(later)).toEqual([256, 60, 30]);
    await expect(accept(later)).rejects.toThrow("No version of plugin");
  });

  it("are not accepted by a hash that was never shown, nor by a frozen host [B3.consent] [H7]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    const shown = env.status("notes")?.digest ?? "";
    await env.edit(pluginFiles("notes", "other code", BIG));
    for (const digest of ["", "0".repeat(64), shown]) expect((await env.acts.accept("notes", digest)).kind).toBe("changed");
    expect(held(env)).toEqual(DEFAULTS);
    const frozen = await env.restart({ frozen: true });
    await expect(accept(frozen)).rejects.toThrow("frozen");
    expect(held(frozen)).toEqual(DEFAULTS);
  });

  it.each(["strict", "fluent"] as const)("raised later hold the version back, in fluent mode too: %s [H6.limits]", async (mode) => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG), { mode });
    await accept(env);
    await env.edit(pluginFiles("notes", "two", BIGGER));
    expect([env.status("notes")?.state, env.code("notes_run"), held(env)]).toEqual(["quarantined", "one", [256, 60, 30]]);
    expect(env.status("notes")?.held?.changes).toEqual([
      { kind: "limit", limit: "memoryBytes", from: 256 * MIB, to: 512 * MIB, widens: true },
    ]);
    expect([await accept(env), env.code("notes_run"), held(env)]).toEqual(["accepted", "two", [512, 60, 30]]);
  });

  it("are not raised by code alone, nor restored in two steps [H6.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await accept(env);
    await env.edit(pluginFiles("notes", "two", BIG));
    expect([env.code("notes_run"), held(env)]).toEqual(["two", [256, 60, 30]]);
    await env.edit(pluginFiles("notes", "small"));
    expect([env.code("notes_run"), held(env)]).toEqual(["small", DEFAULTS]);
    await env.edit(pluginFiles("notes", "big again", BIG));
    expect([env.code("notes_run"), env.status("notes")?.state]).toEqual(["small", "quarantined"]);
  });

  it("are shown together with everything else that waits [B3.consent] [H6.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await env.edit(pluginFiles("notes", "two", { ...BIG, permissions: { read: ["$workspace"] } }));
    expect(env.status("notes")?.held?.changes).toEqual([
      { kind: "permission", sign: "+", what: "read: $workspace", widens: true },
      { kind: "limit", limit: "cpuMs", from: 10_000, to: 60_000, widens: false },
      { kind: "limit", limit: "memoryBytes", from: 64 * MIB, to: 256 * MIB, widens: false },
    ]);
  });

  it.each([
    ["a tool's time", { tools: [tool("notes_run", { timeoutMs: 600_000 })] }],
    ["the plugin's time", { limits: { wallMs: 600_000 } }],
    ["a tool's time beside a plugin's lower one", { limits: { wallMs: 1_000 }, tools: [tool("notes_run", { timeoutMs: 600_000 })] }],
    ["a state for each session", { state: "session", limits: { wallMs: 600_000 } }],
  ])("cannot be smuggled in as %s [B3.smuggled]", async (_how, parts) => {
    const env = await consentWorld(pluginFiles("notes", "one"), { mode: "fluent" });
    await env.consent.flush();
    await env.edit(pluginFiles("notes", "two", parts));
    expect([env.code("notes_run"), env.status("notes")?.held?.changes]).toEqual([
      "one",
      [{ kind: "limit", limit: "wallMs", from: 30_000, to: 600_000, widens: true }],
    ]);
    const fresh = await consentWorld(pluginFiles("notes", "two", parts));
    expect(held(fresh)).toEqual(DEFAULTS);
    expect([await accept(fresh), held(fresh)]).toEqual(["accepted", [64, 10, 600]]);
  });

  it("stay behind if another folder takes the name, or the plugin takes another name [B3.bound]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await accept(env);
    await env.platform.files.remove(`${ROOT}/plugins/notes`);
    const [[, text], [, code]] = Object.entries(pluginFiles("notes", "other", BIG)) as [[string, string], [string, string]];
    await env.edit({ "elsewhere/manifest.json": text, "elsewhere/main.ts": code });
    expect([env.code("notes_run"), held(env)]).toEqual(["other", DEFAULTS]);

    const renamed = await consentWorld(pluginFiles("notes", "one", BIG), { mode: "fluent" });
    await accept(renamed);
    await renamed.edit({ "notes/manifest.json": manifest("memos", { ...BIG, tools: [tool("memos_run")] }) });
    expect([renamed.callable("memos_run") !== undefined, held(renamed, "memos_run")]).toEqual([true, DEFAULTS]);
  });

  it("are forgotten with the plugin, and do not apply to a new one of its name [B3.bound] [I2.remove]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await accept(env);
    await env.acts.remove("notes");
    await env.edit(pluginFiles("notes", "one", BIG));
    expect(held(env)).toEqual(DEFAULTS);
  });

  it("do not come with a rollback: limits that were not accepted then are not accepted now [H10.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await env.consent.flush();
    await env.edit(pluginFiles("notes", "two", { version: "2.0.0" }));
    await env.consent.flush();
    expect((await env.acts.rollback("notes")).changes).toEqual([
      { kind: "limit", limit: "cpuMs", from: 10_000, to: 60_000, widens: true },
      { kind: "limit", limit: "memoryBytes", from: 64 * MIB, to: 256 * MIB, widens: true },
    ]);
    expect([env.code("notes_run"), held(env)]).toEqual(["one", DEFAULTS]);
    // Accepting the limits does not accept the version that was rolled back.
    expect([await env.acts.accept("notes", env.lock.entries().get("notes")?.digest ?? ""), held(env)]).toEqual([
      expect.objectContaining({ kind: "accepted", version: "1.0.0" }),
      [256, 60, 30],
    ]);
    expect(env.lock.entries().get("notes")).toMatchObject({ version: "1.0.0", rolledBackFrom: env.status("notes")?.held?.digest });
    expect(env.code("notes_run")).toBe("one");
  });

  it("do not come with a checkout: its lock gives nothing that was not trusted on this machine [B3.checkout] [P1.trust]", async () => {
    const elsewhere = await consentWorld(pluginFiles("notes", "one", BIG));
    await accept(elsewhere);
    const agreed: unknown[] = [];
    const trust = {
      isAgreed: ({ name, value }: TrustRequest) =>
        Promise.resolve(agreed.some((one) => JSON.stringify(one) === JSON.stringify([name, value]))),
      replace: async (_: TrustRequest, { name, value }: TrustRequest, write: () => Promise<void>) => {
        agreed.push([name, value]);
        await write();
      },
    };
    const here = await elsewhere.restart({ trust });
    expect([here.lock.entries().get("notes")?.acceptedLimits, held(here)]).toEqual([BIG.limits, DEFAULTS]);
    await here.edit(pluginFiles("notes", "two", BIG));
    await here.consent.flush();
    expect(held(here)).toEqual(DEFAULTS);
    expect([await accept(here), held(here)]).toEqual(["accepted", [256, 60, 30]]);
    expect(agreed).toEqual([["bascule.lock.notes.acceptedLimits", { cpuMs: 60_000, memoryBytes: 256 * MIB }]]);
    expect(held(await here.restart({ trust }))).toEqual([256, 60, 30]);
    // A pull that brings other limits needs trust again.
    const text = await here.platform.files.readText(LOCK);
    here.platform.plant(LOCK, text.replaceAll('"memoryBytes": 268435456', '"memoryBytes": 536870912'));
    expect(held(await here.restart({ trust }))).toEqual(DEFAULTS);
  });

  it("cannot exceed their ceilings in a lock: it is refused as a whole [H7.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one", BIG));
    await accept(env);
    const text = await env.platform.files.readText(LOCK);
    for (const wrong of ['"memoryBytes": 536870913', '"memoryBytes": -1', '"memoryBytes": 1.5', '"__proto__": 1', '"wallMS": 1'])
      expect(drained(parseLockSlices(text.replaceAll(/"memoryBytes": 268435456/gu, wrong))).ok).toBe(false);
    expect(drained(parseLockSlices(text)).ok).toBe(true);
  });

  it("for loading need consent as well, and a version that needs them waits [B3.load] [H6.limits]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one"));
    await env.consent.flush();
    await env.edit(pluginFiles("notes", "// needs 200", BIG));
    expect([env.code("notes_run"), env.status("notes")?.state]).toEqual(["one", "quarantined"]);
    expect([await accept(env), env.code("notes_run"), held(env)]).toEqual(["accepted", "// needs 200", [256, 60, 30]]);

    const fresh = await consentWorld(pluginFiles("notes", "// needs 200", BIG));
    expect([fresh.status("notes")?.state, fresh.status("notes")?.reason]).toEqual([
      "failed",
      "Loading needs more than 67108864 bytes of memory (its manifest asks for memoryBytes 256 MiB; to allow it: bascule accept notes)",
    ]);
    expect([await accept(fresh), fresh.status("notes")?.state, held(fresh)]).toEqual(["accepted", "loaded", [256, 60, 30]]);
  });
});
