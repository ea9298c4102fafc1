import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CONSOLE_SCRIPT, CONSOLE_STYLE } from "../../host/doors/console/assets.gen.ts";
import { consoleMount } from "../../host/doors/console/mount.ts";
import { httpDoor } from "../support/http-door.ts";

describe("the console's files", () => {
  it("need no token, have a policy that lets nothing else run, and contain nothing inline [I5.policy]", async () => {
    await using door = await httpDoor({ mounts: [consoleMount] });
    const page = await door.request("/", { token: undefined });
    const text = await page.text();
    expect([page.status, page.headers.get("content-type"), page.headers.get("x-frame-options")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "DENY",
    ]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
    expect(text).not.toMatch(/<style|style=|<script(?! type="module" src="\/console\.js"><\/script>)|\son\w+=|javascript:/i);
    for (const [path, type, body] of [
      ["/console.js", "text/javascript; charset=utf-8", CONSOLE_SCRIPT],
      ["/console.css", "text/css; charset=utf-8", CONSOLE_STYLE],
    ]) {
      const file = await door.request(path ?? "", { token: undefined });
      expect([file.status, file.headers.get("content-type"), await file.text()]).toEqual([200, type, body]);
    }
    expect((await door.request("/other", { token: undefined })).status).toBe(404);
    expect((await door.request("/", { token: undefined, method: "POST", body: {} })).status).toBe(405);
  });

  it("are sent compressed, and not again while they are the same [I5.size]", async () => {
    await using door = await httpDoor({ mounts: [consoleMount] });
    const sizes = ["/console.js", "/console.css"].map(async (path) => {
      const zipped = await door.request(path, { token: undefined, fields: { "accept-encoding": "gzip" } });
      expect([zipped.headers.get("content-encoding"), zipped.headers.get("cache-control")]).toEqual(["gzip", "no-cache"]);
      const bytes = new Uint8Array(await zipped.arrayBuffer());
      const whole = await (await door.request(path, { token: undefined })).text();
      expect(gunzipSync(bytes).toString()).toBe(whole);
      const etag = zipped.headers.get("etag") ?? "";
      const again = await door.request(path, { token: undefined, fields: { "if-none-match": etag } });
      expect([etag.length > 10, again.status, await again.text()]).toEqual([true, 304, ""]);
      return bytes.length;
    });
    const [script = 0, style = 0] = await Promise.all(sizes);
    expect(script + style).toBeLessThanOrEqual(300 * 1024);
  });

  it("turn no text into code or markup [I5.policy]", () => {
    expect(CONSOLE_SCRIPT).not.toMatch(/\beval\(|new Function|document\.write|insertAdjacentHTML|document\.cookie/);
  });
});
