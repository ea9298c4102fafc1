import { afterEach, describe, expect, it } from "vitest";
import type { HostEvent } from "../../../../host/audit/events.ts";
import { createHost, type Host, type HostOptions } from "../../../../host/mod.ts";
import type { MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const FILE = "/workspace/.bascule/settings/words.json";

function manifest(more: object = {}): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    name: "words",
    version: "1.0.0",
    description: "Counts words",
    settingsSchema: { type: "object", properties: { limit: { type: "integer", default: 10 } }, additionalProperties: false },
    tools: ["show", "other"].map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" }, sideEffects: [] })),
    ...more,
  });
}
const main = `let seen = 0;
export function show(_args, { settings }) { seen++; return { settings, isFrozen: Object.isFrozen(settings), seen }; }
export const other = () => "here";`;

function platformWith(files: Readonly<Record<string, string>> = {}): MemoryPlatform {
  return memoryPlatformWithWorkers({ "plugins/words/manifest.json": manifest(), "plugins/words/main.ts": main, ...files });
}

async function start(platform: MemoryPlatform, options: HostOptions = {}): Promise<{ readonly host: Host; readonly events: HostEvent[] }> {
  const events: HostEvent[] = [];
  const host = await createHost({ platform, plugins: ["./plugins"], events: { publish: (event) => events.push(event) }, ...options });
  hosts.push(host);
  return { host, events };
}

describe("settings of a plugin", () => {
  it("are readable by the guest, frozen, and never part of its image [G1.context] [B9.settings]", async () => {
    const platform = platformWith();
    const { host } = await start(platform);
    expect((await host.call("show")).output).toEqual({ settings: { limit: 10 }, isFrozen: true, seen: 1 });
    const before = host.plugins()[0]?.digest;
    platform.plant(FILE, JSON.stringify({ config: { limit: 3 } }));
    await host.reload();
    expect((await host.call("show")).output).toEqual({ settings: { limit: 3 }, isFrozen: true, seen: 1 });
    expect(host.plugins()[0]?.digest).toBe(before);
  });

  it("disable and enable tools, in lists and calls alike, without a new version [G1.toolOverrides] [R4.disabled]", async () => {
    const platform = platformWith({ [FILE]: JSON.stringify({ toolOverrides: { show: { enabled: false } } }) });
    const { host, events } = await start(platform);
    const reason = "disabled in the plugin's settings (bascule settings words tools.show.enabled true)";
    expect((await host.call("show")).ok).toBe(false);
    expect(await host.call("show")).toMatchObject({
      error: { code: "unavailable", message: `Tool 'show' is unavailable: ${reason}` },
    });
    expect(await host.call("other")).toMatchObject({ ok: true, output: "here" });
    expect(host.list({ enabledOnly: true, source: "plugin" }).map(({ name }) => name)).toEqual(["other"]);
    await host.settings.change("words", { key: "tools.show.enabled", text: "true" });
    expect(await host.call("show")).toMatchObject({ ok: true });
    expect(events.filter(({ type }) => type === "settings.changed")).toMatchObject([{ plugin: "words", payload: { ok: true } }]);
  });

  it("enable and disable the whole plugin, whatever its manifest declares [G1.enabled] [M6]", async () => {
    const platform = platformWith({ "plugins/words/manifest.json": manifest({ enabled: false }) });
    const { host } = await start(platform);
    expect(host.plugins()[0]).toMatchObject({ state: "disabled", reason: expect.stringContaining("manifest.json") });
    await host.settings.change("words", { key: "enabled", text: "true" });
    expect(await host.call("show")).toMatchObject({ ok: true });
    await host.settings.change("words", { key: "enabled", text: "false" });
    expect(await host.call("show")).toMatchObject({ error: { code: "unavailable" } });
    await host.settings.change("words", { key: "enabled" });
    expect(host.settings.view("words")).toMatchObject({ enabled: false, exists: true });
    expect(JSON.parse(await platform.files.readText(FILE))).toEqual({});
  });

  it("are watched; an invalid edit changes nothing and is reported in event, log and list [G1.watched] [G1.lastGood]", async () => {
    const platform = platformWith({ [FILE]: JSON.stringify({ config: { limit: 3 } }) });
    const { host, events } = await start(platform, { watch: true });
    platform.plant(FILE, '{ "config": { "limit": "many" } }');
    const told = (): unknown[] => events.filter(({ type }) => type === "settings.changed").map(({ payload }) => payload);
    await expect.poll(() => (platform.advance(1_000), told().length), { timeout: 30_000 }).toBe(1);
    expect(told()).toMatchObject([{ path: FILE, ok: false, problems: [expect.stringContaining("/config/limit")] }]);
    expect(platform.recorded.log.filter(({ level }) => level === "error")).toMatchObject([
      { message: 'Settings of plugin "words" are not valid; the last good ones stay in force' },
    ]);
    expect(host.plugins()[0]).toMatchObject({
      state: "loaded",
      problems: [{ severity: "warning", message: expect.stringContaining(FILE) }],
    });
    expect((await host.call("show")).output).toMatchObject({ settings: { limit: 3 } });
    platform.plant(FILE, '{ "config": { "limit": 4 } }');
    await expect.poll(() => (platform.advance(1_000), told().length), { timeout: 30_000 }).toBe(2);
    expect((await host.call("show")).output).toMatchObject({ settings: { limit: 4 } });
  });

  it("stop a plugin if they were never valid, and hold back a version whose schema they do not fit [G1.checked] [H5]", async () => {
    const platform = platformWith({ [FILE]: '{ "enabled": "off" }' });
    const { host } = await start(platform, { consent: "fluent" });
    expect(await host.call("show")).toMatchObject({ error: { code: "unavailable", message: expect.stringContaining(FILE) } });
    platform.plant(FILE, '{ "config": { "limit": 7 } }');
    await host.reload();
    expect((await host.call("show")).output).toMatchObject({ settings: { limit: 7 } });
    platform.plant(
      "/workspace/plugins/words/manifest.json",
      manifest({ settingsSchema: { type: "object", properties: { limit: { type: "string" } } } }),
    );
    await host.reload();
    expect(host.plugins()[0]).toMatchObject({ state: "failed", lastGood: true });
    expect((await host.call("show")).output).toMatchObject({ settings: { limit: 7 } });
    platform.plant(FILE, '{ "config": { "limit": "7" } }');
    await host.reload();
    expect((await host.call("show")).output).toMatchObject({ settings: { limit: "7" } });
  });

  it("are never overwritten if they are broken, nor set to an invalid value [G1.checked]", async () => {
    const platform = platformWith({ [FILE]: '{ "custom_config": { "limit": 3 }, "tool_overrides": {} }' });
    const { host } = await start(platform);
    await expect(host.settings.change("words", { key: "limit", text: "many" })).rejects.toThrow("must be a whole number");
    await host.settings.change("words", { key: "limit", text: "5" });
    expect(JSON.parse(await platform.files.readText(FILE))).toEqual({ config: { limit: 5 }, toolOverrides: {} });
    platform.plant(FILE, '{ "config": ');
    await expect(host.settings.change("words", { key: "limit", text: "6" })).rejects.toThrow(`Cannot change "${FILE}"`);
    expect(await platform.files.readText(FILE)).toBe('{ "config": ');
    await expect(host.settings.change("../words", { key: "enabled", text: "true" })).rejects.toThrow("not found, or its manifest");
  });
});
