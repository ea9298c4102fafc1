import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { HAS_NATS, NATS_TITLE, startNatsServer } from "../../../support/nats-server.ts";
import { createCliProject, type CliProject, type RunningCommand } from "./run-cli.ts";

const MANIFEST = JSON.stringify({
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Demo",
  main: "main.ts",
  tools: [
    {
      name: "add",
      description: "Adds",
      inputSchema: { type: "object", properties: { a: { type: "number" } } },
      sideEffects: [],
      idempotent: true,
    },
    { name: "count", description: "Counts", inputSchema: { type: "object" }, sideEffects: [] },
  ],
});
const MAIN = `
export function add({ a }: { a: number }, context: { callId: string; idempotencyKey: string; sessionId: string }) {
  return { sum: a + 1, isKey: context.idempotencyKey === context.callId };
}
export async function* count() {
  for (let n = 0; n < 3; n++) yield n;
}
`;
const PLUGIN = { "plugins/demo/manifest.json": MANIFEST, "plugins/demo/main.ts": MAIN };

async function member(url: string): Promise<{ readonly project: CliProject; readonly serving: RunningCommand; readonly key: string }> {
  const project = await createCliProject({ ...PLUGIN, "bascule.json": "{}" });
  const serving = project.start(["serve", "--port=0", `--join=${url}`, "--cluster=farm"]);
  await serving.waitFor("Press Ctrl-C");
  return { project, serving, key: /\bkey\s+(U\w{55})/.exec(serving.printed())?.[1] ?? "" };
}

it("refuses credentials in --join, and does not repeat them [CL6.credentials]", async () => {
  await using project = await createCliProject({ "bascule.json": "{}" });
  for (const command of ["serve", "doctor"]) {
    const { error, out } = await project.run([command, "--join=nats://me:hidden@127.0.0.1:1"]);
    expect(error).toContain("contains credentials");
    expect(error + out).not.toContain("hidden");
  }
});

describe.runIf(HAS_NATS)(`bascule serve --join, on ${NATS_TITLE}`, () => {
  it(
    "runs calls of a host that routes the plugin to the cluster, while the member holds the same bytes [CL1.join] [CL5.verify]",
    { timeout: 120_000 },
    async () => {
      const { url } = await startNatsServer();
      await using stack = new AsyncDisposableStack();
      const alpha = await member(url);
      stack.use(alpha.project);
      const remote = { remotes: { farm: { url, cluster: "farm" } }, policy: { rules: [{ plugin: "demo", route: "remote" }] } };
      const caller = await createCliProject({ ...PLUGIN, "bascule.json": JSON.stringify(remote) });
      stack.use(caller);

      const { cluster } = JSON.parse((await caller.run(["doctor", "--json"])).out) as { readonly cluster: { readonly key: string } };
      const { key } = cluster;
      await caller.write("bascule.json", JSON.stringify({ ...remote, cluster: { members: { alpha: alpha.key } } }));
      await alpha.project.write("bascule.json", JSON.stringify({ cluster: { members: { alpha: alpha.key }, callers: { web: key } } }));
      await alpha.project.run(["reload"]);
      const add = async (): Promise<unknown> => JSON.parse((await caller.run(["call", "demo.add", '{"a":1}', "--json"])).out);
      const done = { ok: true, output: { sum: 2, isKey: true }, route: "remote", metadata: { remote: "farm" } };
      expect(await add()).toMatchObject(done);
      const counted = await caller.run(["call", "demo.count", "--json"]);
      expect(JSON.parse(counted.out)).toMatchObject({ ok: true, output: [0, 1, 2] });

      // Other bytes are another plugin for the cluster.
      const none = { ok: false, error: { code: "unavailable", message: expect.stringContaining("no member") } };
      await alpha.project.write("plugins/demo/main.ts", `${MAIN}\n// Changed.\n`);
      await alpha.project.run(["reload"]);
      await expect.poll(add, { timeout: 15_000 }).toMatchObject(none);
      expect((await caller.run(["doctor", "--json"])).out).toContain(
        'No member holds the version of \\"demo\\" that this host sends there',
      );
      await alpha.project.write("plugins/demo/main.ts", MAIN);
      await alpha.project.run(["reload"]);
      await expect.poll(add, { timeout: 15_000 }).toMatchObject(done);
      expect(JSON.parse((await caller.run(["doctor", "--json"])).out)).toMatchObject({
        cluster: {
          key,
          clusters: [{ cluster: "farm", members: [{ name: "alpha", digests: [expect.any(String)], calls: 0 }], problems: [] }],
        },
      });

      alpha.serving.interrupt();
      await alpha.serving.ended;
      expect(await add()).toMatchObject(none);

      // The journal and its checkpoint are gone; what the cluster has seen is not.
      const verify = ["audit", "verify", `--join=${url}`, "--cluster=farm"];
      expect((await alpha.project.run(verify)).out).toMatch(
        /^good .*the cluster has seen record \d+ \(this host\), and the journal has it/s,
      );
      const { folder } = alpha.project;
      await rm(join(folder, ".bascule/audit"), { recursive: true });
      const name = `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.db`;
      await rm(join(currentPlatform().environment.config, "journals", name));
      expect((await alpha.project.run(["audit", "verify"])).out).toContain("Nothing has been recorded yet");
      expect((await alpha.project.run(verify)).error).toMatch(/^error The journal was changed after it was written/);
    },
  );
});
