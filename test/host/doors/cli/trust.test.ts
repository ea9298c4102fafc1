import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const FILES = {
  "bascule.json": JSON.stringify({ confirmation: { default: { write: "auto" } }, remotes: { gpu: { url: "https://a.example.com" } } }),
};

// Each command opens its own host, which is slow on a busy machine.
describe("bascule trust", { timeout: 120_000 }, () => {
  it("shows all trust requests of the folder, and asks only once for the same ones [P1.trust]", async () => {
    await using project = await createCliProject(FILES, { isOwn: false });
    const said = await project.run(["trust"], { answers: ["y"] });
    expect(said.out).toBe(`This folder requests what you have not allowed on this machine:

  remotes.gpu  sends calls to another host
    url  https://a.example.com

  confirmation  requires fewer confirmations
    default.write  auto

Allowed: remotes.gpu, confirmation
`);
    expect(said.error).toBe("Allow 2 trust requests? [y/N] ");
    const again = await project.run(["trust"]);
    expect([again.code, again.out]).toEqual([
      0,
      "This folder has no open trust requests\n  allowed  remotes.gpu\n  allowed  confirmation\n",
    ]);

    await project.write("bascule.json", FILES["bascule.json"].replace("a.example.com", "b.example.com"));
    const changed = await project.run(["trust", "--yes"]);
    expect(changed.out).toContain("  remotes.gpu  sends calls to another host; changed since you allowed it\n");
    expect(changed.out).toContain("    - url  https://a.example.com\n    + url  https://b.example.com\n");
    expect(changed.out).not.toContain("requires fewer confirmations");
  });

  it("allows single requests by name, all of them permanently, and withdraws all [P1.trust]", async () => {
    await using project = await createCliProject(FILES, { isOwn: false });
    const waiting = async (): Promise<string> => (await project.run(["trust", "--json"], { answers: [] })).out;
    expect((await project.run(["trust", "remote.gpu"])).error).toContain("Did you mean remotes.gpu?");
    expect((await project.run(["trust", "remotes.gpu", "--yes", "--json"])).out).toContain('"remotes.gpu"');
    expect(JSON.parse(await waiting())).toMatchObject({ withheld: [{ name: "confirmation" }] });

    expect((await project.run(["trust", "--always", "--json", "--yes"])).code).toBe(0);
    await project.write("bascule.json", JSON.stringify({ trusted: ["words"] }));
    expect(JSON.parse(await waiting())).toEqual({ ok: true, allowed: [] });
    expect((await project.run(["trust", "--forget"])).code).toBe(0);
    expect(JSON.parse(await waiting())).toMatchObject({ withheld: [{ name: "trusted.words" }] });
  });

  it("makes texts of the folder inert, and omits nothing [P1.trust]", async () => {
    const args = ["a b", "$HOME", "y".repeat(3_000)];
    const env = { API: { fromEnv: "TOKEN" }, NODE_OPTIONS: "$TOKEN of your environment" };
    const files = {
      "bascule.json": JSON.stringify({
        mcpServers: { s: { command: "x", args, env, toolSideEffects: { "a  command  safe": ["read"], "a.b": [] } } },
      }),
      ".bascule/grants.json": JSON.stringify({ version: 1, grants: [{ plugin: "\u001b[2J", "\u202e": ["\u0007", ""] }] }),
    };
    await using project = await createCliProject(files, { isOwn: false });
    const { out } = await project.run(["trust"], { answers: ["n"] });
    expect(out).toMatch(/^ +args +"a b" "\$HOME"\n +y{3000}$/mu);
    expect(out).toMatch(/^ +env\.API +\$TOKEN of your environment$/mu);
    // No key can look like another line or like a nested key.
    expect(out).toContain('toolSideEffects."a  command  safe"');
    expect(out).toContain('toolSideEffects."a.b"');
    expect(out).toMatch(/^ +env\.NODE_OPTIONS +"\$TOKEN of your environment"$/mu);
    expect(out).toContain(".bascule/grants.json  grants permissions to plugins");
    expect(out).not.toMatch(/[\u001b\u0007\u202e]/u);
  });

  it("is asked for by dev once, and the answer is remembered [K3.trust]", async () => {
    await using project = await createCliProject(FILES, { isOwn: false });
    const dev = project.start(["dev"], { answers: ["y"] });
    await dev.waitFor("Press Ctrl-C");
    dev.interrupt();
    const { out, error } = await dev.ended;
    expect(error).toContain("Allow these 2 trust requests? [y/N/always] ");
    expect(out).not.toContain("runs without");
    const again = project.start(["dev"], { answers: ["y"] });
    await again.waitFor("Press Ctrl-C");
    again.interrupt();
    expect((await again.ended).error).not.toContain("Allow");
  });

  it("trusts a folder that the user starts with init, but not a checkout [P1.trust]", async () => {
    const remote = { ".git/config": '[core]\n[remote "origin"]\n  url = https://x.example.com\n' };
    const cases: readonly (readonly [isOwn: boolean, files: Readonly<Record<string, string>>])[] = [
      [true, {}],
      [true, { ".git/config": "[core]\n", "README.md": "# Mine\n" }],
      [false, remote],
      [false, { ".git": "gitdir: /elsewhere" }],
      [false, { ".hg/hgrc": "" }],
      [false, { "plugins/theirs/x": "" }],
      [true, { ".bascule/audit/x": "" }],
      [false, { ".bascule/grants.json": '{"version":1,"grants":[{}]}' }],
      [false, { "bascule.json": "{}" }],
    ];
    for (const [isOwn, files] of cases) {
      await using project = await createCliProject(files, { isOwn: false });
      expect((await project.run(["init", "demo"])).code).toBe(0);
      await project.write("bascule.json", FILES["bascule.json"]);
      const { out } = await project.run(["trust", "--json"], { answers: ["n"] });
      expect([files, (JSON.parse(out) as { readonly ok: boolean }).ok]).toEqual([files, isOwn]);
    }
    await using inner = await createCliProject(remote, { isOwn: false });
    await inner.write("own/x", "");
    await inner.run(["init", "demo"], { cwd: "own" });
    await inner.write("own/bascule.json", FILES["bascule.json"]);
    expect((await inner.run(["trust", "--json"], { answers: ["n"], cwd: "own" })).out).toContain('"ok": false');
  });

  it("asks nothing in a folder without trust requests, and applies grants given there [C3.trust]", async () => {
    await using project = await createCliProject({}, { isOwn: false });
    await project.run(["init", "demo"]);
    expect((await project.run(["grant", "demo", "--allow-read=."])).code).toBe(0);
    const dev = project.start(["dev", "--no-tests"], { answers: [] });
    await dev.waitFor("Press Ctrl-C");
    expect((await project.run(["call", "demo_peek", "path=plugins/demo/README.md"])).code).toBe(0);
    expect((await project.run(["revoke", "demo"])).code).toBe(0);
    expect((await project.run(["grant", "demo", "--allow-read=."])).code).toBe(0);
    expect((await project.run(["call", "demo_peek", "path=plugins/demo/README.md"])).code).toBe(0);
    dev.interrupt();
    expect((await dev.ended).error).not.toContain("Allow");
    expect((await project.run(["call", "demo_peek", "path=plugins/demo/README.md"])).code).toBe(0);
  });
});
