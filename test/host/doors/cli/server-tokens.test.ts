import { describe, expect, it, onTestFinished } from "vitest";
import { openOwnTokens } from "../../../../host/doors/cli/server-tokens.ts";
import { createHttpTokens } from "../../../../host/doors/http/tokens.ts";
import type { MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const STATE = "/workspace/.bascule";
const FILE = `${STATE}/admin.token`;
const OTHER = "another-token-of-more-than-32-characters";

const EVENTS: readonly (readonly [string, (platform: MemoryPlatform) => unknown])[] = [
  ["deleted", ({ files }) => files.remove(FILE)],
  ["moved away", ({ files }) => files.rename(FILE, `${FILE}.old`)],
  ["emptied", ({ files }) => files.writeAtomic(FILE, "", 0o600)],
  ["cut short", ({ files }) => files.writeAtomic(FILE, "bascule_0", 0o600)],
  ["readable by others", async ({ files }) => files.writeAtomic(FILE, await files.readText(FILE), 0o644)],
  ["replaced by a folder", async ({ files }) => (await files.remove(FILE), await files.makeDirectory(FILE))],
  ["replaced by a link", async ({ files, plant }) => (await files.rename(FILE, `${FILE}.old`), plant(FILE, { link: `${FILE}.old` }))],
  ["gone with its folder", ({ files }) => files.rename(STATE, `${STATE}.old`)],
];

describe("tokens of a running server", () => {
  it.each(EVENTS)("are invalid once their file is %s, and valid again when it is restored [I4.revoked]", async (_event, act) => {
    const platform = memoryPlatform();
    const own = await openOwnTokens(platform, STATE);
    onTestFinished(own.watch());
    const tokens = createHttpTokens({ ...platform, tokens: own.good });
    const first = (await platform.files.readText(FILE)).trim();
    const scopes = async (token: string): Promise<unknown> => (platform.advance(1_000), (await tokens.identify(`Bearer ${token}`))?.scopes);
    const caller = await tokens.identify(`Bearer ${first}`);
    expect([caller?.scopes, tokens.isKnown(caller?.id ?? "")]).toEqual([["admin"], true]);

    await act(platform);
    await expect.poll(() => scopes(first)).toBeUndefined();
    expect(tokens.isKnown(caller?.id ?? "")).toBe(false);
    expect(platform.recorded.log).toMatchObject(
      (_event === "gone with its folder" ? ["call", "admin"] : ["admin"]).map((name) => {
        return { level: "warn", message: expect.stringContaining(`The "${name}" token is no longer valid`) };
      }),
    );
    await platform.files.remove(FILE);
    await platform.files.makeDirectory(STATE);
    await platform.files.writeAtomic(FILE, `${OTHER}\n`, 0o600);
    await expect.poll(() => scopes(OTHER)).toEqual(["admin"]);
    expect(await scopes(first)).toBeUndefined();
  });

  it("are read from files that the environment names, linked and readable by others as secrets are mounted [DI3.token-file]", async () => {
    const platform = memoryPlatform({}, { env: { BASCULE_ADMIN_TOKEN_FILE: "/run/secrets/admin" } });
    await platform.files.makeDirectory("/run/secrets");
    await expect(openOwnTokens(platform, STATE)).rejects.toThrow('"/run/secrets/admin" of BASCULE_ADMIN_TOKEN_FILE does not exist');
    await platform.files.writeAtomic("/run/secrets/v1", "short", 0o644);
    platform.plant("/run/secrets/admin", { link: "/run/secrets/v1" });
    await expect(openOwnTokens(platform, STATE)).rejects.toThrow("has fewer than 32 printable characters");
    await platform.files.writeAtomic("/run/secrets/v1", `${OTHER}\n`, 0o644);

    const own = await openOwnTokens(platform, STATE);
    onTestFinished(own.watch());
    const tokens = createHttpTokens({ ...platform, tokens: own.good });
    const scopes = async (token: string): Promise<unknown> => (platform.advance(1_000), (await tokens.identify(`Bearer ${token}`))?.scopes);
    expect([await scopes(OTHER), await platform.files.lstat(FILE)]).toEqual([["admin"], undefined]);
    await platform.files.writeAtomic("/run/secrets/v1", `${OTHER}-rotated\n`, 0o644);
    await expect.poll(() => scopes(`${OTHER}-rotated`)).toEqual(["admin"]);
    expect(await scopes(OTHER)).toBeUndefined();
  });

  it("stay valid if the environment sets them, regardless of files in the folder [I4.revoked]", async () => {
    const platform = memoryPlatform({}, { env: { BASCULE_ADMIN_TOKEN: OTHER } });
    const own = await openOwnTokens(platform, STATE);
    expect(own.good().map(({ name }) => name)).toEqual(["call", "admin"]);
    await platform.files.remove(STATE);
    onTestFinished(own.watch());
    await expect.poll(() => (platform.advance(1_000), own.good().map(({ name }) => name))).toEqual(["admin"]);
  });
});
