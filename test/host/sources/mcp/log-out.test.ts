import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { logOut } from "../../../../host/sources/mcp/log-out.ts";
import { createLoginStore } from "../../../../host/sources/mcp/logins.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("logOut()", () => {
  it("deletes a login even if its tokens cannot be revoked, and reports why [K3.logout]", async () => {
    const url = "https://mcp.example/mcp";
    const issuer = "https://auth.example";
    const real = currentPlatform();
    const store = createLoginStore(real, await temporaryFolder());
    const sent: unknown[] = [];
    async function leave(client: object, answers: Readonly<Record<string, () => Response | Promise<Response>>>): Promise<unknown> {
      const tokens = { access_token: "access-1", token_type: "Bearer", refresh_token: "renewal-1", issuer };
      await store.write("far", { url, client: { client_id: "known", issuer, ...client }, tokens });
      const ask: typeof globalThis.fetch = async (input, init) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        if (pathname === "/revoke") sent.push([new Headers(init?.headers).get("authorization"), String(init?.body as URLSearchParams)]);
        return (await answers[pathname]?.()) ?? new Response("", { status: 404 });
      };
      const ended = await logOut(
        { server: "far", config: { url } },
        { platform: { servers: { ...real.servers, fetchSecurely: () => ask } }, store, signal: new AbortController().signal },
      );
      expect(await store.read("far", url)).toBeUndefined();
      return ended;
    }
    const metadata = (more: object) => (): Response =>
      Response.json({
        issuer,
        authorization_endpoint: `${issuer}/a`,
        token_endpoint: `${issuer}/t`,
        response_types_supported: ["code"],
        ...more,
      });
    const [well, revocation_endpoint] = ["/.well-known/oauth-authorization-server", `${issuer}/revoke`];
    const has = { [well]: metadata({ revocation_endpoint }) };
    const failed = { removed: true, issuer };
    expect(await leave({}, { [well]: metadata({}) })).toEqual({ ...failed, problem: "It names no endpoint for revoking tokens" });
    expect(await leave({}, { [well]: () => Promise.reject(new Error("It is down")) })).toMatchObject({ ...failed, problem: "It is down" });
    const spoken = (): Response => Response.json({ error: "invalid_client", error_description: "renewal-1" }, { status: 401 });
    expect(await leave({}, { ...has, "/revoke": spoken })).toEqual({ ...failed, problem: "It answered invalid_client" });
    expect(await leave({}, { ...has, "/revoke": () => new Response("", { status: 503 }) })).toEqual({
      ...failed,
      problem: "It answered 503",
    });
    sent.length = 0;
    // Some servers do not revoke access tokens, because they expire soon.
    const renewalOnly = (): Response =>
      sent.length === 1 ? new Response() : Response.json({ error: "unsupported_token_type" }, { status: 400 });
    expect(await leave({ client_secret: "hush" }, { ...has, "/revoke": renewalOnly })).toEqual(failed);
    const basic = `Basic ${btoa("known:hush")}`;
    expect(sent).toEqual([
      [basic, "token=renewal-1&token_type_hint=refresh_token"],
      [basic, "token=access-1&token_type_hint=access_token"],
    ]);
    expect(await logOut({ server: "far", config: { url } }, { platform: real, store, signal: new AbortController().signal })).toEqual({
      removed: false,
    });
  });
});
