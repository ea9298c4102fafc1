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

  it("turn no text into code or markup [I5.policy]", () => {
    expect(CONSOLE_SCRIPT).not.toMatch(/\beval\(|new Function|document\.write|insertAdjacentHTML|document\.cookie/);
  });
});
