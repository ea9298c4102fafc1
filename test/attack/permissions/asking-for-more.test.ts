/** A guest requests more than it may have during a call, disguises a request, or requests without end. */

import { describe, expect, it } from "vitest";
import type { ConfirmationRequest, ConfirmPrompt } from "../../../host/mod.ts";
import { questionLines } from "../../../host/doors/cli/confirm.ts";
import { createOutput } from "../../../host/doors/cli/output.ts";
import { chainHost } from "../../support/chain-host.ts";
import { recordingHost, type RecordingHost, type RecordingHostOptions } from "../../support/recording-host.ts";

const ASKS = `
export async function run({ asked, at = "once", read }) {
  const ask = (one) => Deno.permissions.request(one).then(({ state }) => state, ({ name }) => name);
  const states = at === "once" ? await Promise.all(asked.map(ask)) : [];
  if (at !== "once") for (const one of asked) states.push(await ask(one));
  return { states, ...(read && { text: await Deno.readTextFile(read).catch(({ name }) => name) }) };
}
`;

async function asking(options: RecordingHostOptions = {}): Promise<RecordingHost> {
  const tools = [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] }];
  const permissions = {
    read: { allow: ["$workspace/docs", "$workspace/link", "$workspace/way"], deny: ["$workspace/docs/secret"] },
    env: ["HOME"],
  };
  const host = await recordingHost(ASKS, { grants: {}, manifest: { tools, permissions }, ...options });
  host.platform.plant("/workspace/docs/a.txt", "a");
  host.platform.plant("/workspace/docs/secret/key.txt", "key");
  host.platform.plant("/workspace/other/b.txt", "b");
  host.platform.plant("/workspace/link", { link: "other" });
  host.platform.plant("/workspace/way", { link: "docs" });
  return host;
}

function person(answer = true): { readonly asked: ConfirmationRequest[]; readonly confirm: ConfirmPrompt } {
  const asked: ConfirmationRequest[] = [];
  return { asked, confirm: async (request) => (asked.push(request), answer) };
}

describe("attack: requesting more permissions", () => {
  it("requests what the manifest does not request, what it denies, what policy denies, or other kinds: the user sees no confirmation [E7.never-more]", async () => {
    await using host = await asking({
      config: { policy: { layers: [{ name: "l", level: "global", permissions: { read: { deny: ["docs/b"] } } }] } },
    });
    const { asked, confirm } = person();
    const wanted = [
      { name: "read", path: "other/b.txt" },
      { name: "read", path: "/" },
      { name: "read" },
      { name: "read", path: "docs/secret/key.txt" },
      { name: "read", path: "docs/b/x" },
      { name: "read", path: "docs/../other" },
      { name: "write", path: "docs/a.txt" },
      { name: "env", variable: "PATH" },
      { name: "run", command: "sh" },
      { name: "net", host: "example.com" },
      { name: "nonsense" },
    ];
    const result = await host.host.call("demo.run", { asked: wanted }, { confirm });
    expect(asked).toEqual([]);
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(result.output)).not.toContain("granted");
  });

  it("requests a folder and reads a denied file in it [E7.never-more]", async () => {
    await using host = await asking();
    const { confirm } = person();
    const ask = { asked: [{ name: "read", path: "docs" }] };
    expect(await host.host.call("demo.run", { ...ask, read: "docs/a.txt" }, { confirm })).toMatchObject({
      output: { states: ["granted"], text: "a" },
    });
    expect(await host.host.call("demo.run", { ...ask, read: "docs/secret/key.txt" }, { confirm })).toMatchObject({
      output: { text: "NotCapable" },
    });
    expect(await host.host.call("demo.run", { ...ask, read: "other/b.txt" }, { confirm })).toMatchObject({
      output: { text: "NotCapable" },
    });
  });

  it("requests a link: the confirmation shows its target, and does not appear if the target cannot be granted [E7.look-alike]", async () => {
    await using host = await asking();
    const { asked, confirm } = person();
    const out = await host.host.call("demo.run", { asked: [{ name: "read", path: "link" }], read: "link/b.txt" }, { confirm });
    expect([out, asked]).toMatchObject([{ output: { states: ["denied"], text: "NotCapable" } }, []]);
    const way = await host.host.call(
      "demo.run",
      {
        asked: [
          { name: "read", path: "way/new/x" },
          { name: "read", path: "way" },
        ],
        at: "each",
        read: "way/a.txt",
      },
      { confirm },
    );
    expect(way).toMatchObject({ output: { states: ["granted", "granted"], text: "a" } });
    expect(asked.map(({ permission }) => permission)).toEqual([
      { kind: "read", value: "/workspace/way/new/x", leadsTo: "/workspace/docs/new/x" },
      { kind: "read", value: "/workspace/way", leadsTo: "/workspace/docs" },
    ]);
  });

  it("requests a path that controls a terminal or looks like another: it is shown escaped [E7.look-alike]", async () => {
    await using host = await asking();
    const { asked, confirm } = person(false);
    const path = "docs/\u001b[2K\u001b[1A\u202etxt.yek";
    await host.host.call("demo.run", { asked: [{ name: "read", path }] }, { confirm });
    const output = createOutput(host.platform, { json: false, color: false, program: "bascule" });
    const [request] = asked;
    const shown = request === undefined ? "" : questionLines({ ...request, args: {} }, output).join("\n");
    expect(shown).toContain("read       /workspace/docs/\\x1b[2K\\x1b[1A\\u{202e}txt.yek and everything below");
    expect(shown).not.toMatch(/[\u001b\u202e]/u);
    // Long arguments do not push the confirmation out of sight either.
    const paths = request === undefined ? [] : questionLines({ ...request, projectedModifications: Array(5_000).fill("a") }, output);
    expect(paths.length).toBeLessThan(40);
    expect(paths.join("\n")).toContain("… 4980 more files");
  });

  it("requests a pattern and gets only the file of that name [E7.never-more]", async () => {
    await using host = await asking();
    const { confirm } = person();
    const result = await host.host.call("demo.run", { asked: [{ name: "read", path: "docs/*" }], read: "docs/a.txt" }, { confirm });
    expect(result).toMatchObject({ output: { states: ["granted"], text: "NotCapable" } });
  });

  it("requests without end: the number of confirmations is bounded [E7.flood]", async () => {
    await using host = await asking();
    const { asked, confirm } = person();
    const wanted = Array.from({ length: 40 }, (_, index) => ({ name: "read", path: `docs/${index}` }));
    const result = await host.host.call("demo.run", { asked: wanted, at: "each" }, { confirm });
    expect(asked).toHaveLength(8);
    expect(result).toMatchObject({ output: { states: [...Array(8).fill("granted"), ...Array(32).fill("denied")] } });
  });

  it("requests in every call what the user declines: after a few confirmations the session gets none for a while [E7.patience]", async () => {
    await using host = await asking();
    const session = host.host.session();
    const call = async (agrees: boolean | undefined, times: number, options: object = { session }): Promise<number> => {
      let asked = 0;
      for (let time = 0; time < times; time++) {
        const confirm: ConfirmPrompt = async () => ((asked += 1), agrees);
        await host.host.call("demo.run", { asked: [{ name: "read", path: `docs/${time}` }] }, { confirm, ...options });
      }
      return asked;
    };
    expect(await call(false, 2)).toBe(2);
    // A yes resets the count.
    expect(await call(true, 1)).toBe(1);
    expect(await call(false, 2)).toBe(2);
    expect(await call(undefined, 4)).toBe(1);
    expect(await call(false, 1, {})).toBe(1);
    host.platform.advance(10 * 60_000);
    expect(await call(false, 5)).toBe(3);
  });

  it("requests through other tools: after a few declined confirmations in one call the user gets no more [E4.patience]", async () => {
    await using made = await chainHost(
      {
        nag: {
          main: `export async function go(_args, { tools }) {
            const said = [];
            for (let n = 0; n < 6; n++) await tools.call("served.write").catch(({ message }) => said.push(message));
            return said;
          }`,
          tools: { go: {} },
          calls: ["served.write"],
        },
        served: {
          main: "export const write = ({ n }, { workspace }) => workspace.write('out.txt', 'x');",
          tools: { write: { callers: ["direct", "chain"], sideEffects: ["write"] } },
          manifest: { permissions: { write: ["$workspace"] } },
        },
      },
      { grants: { nag: { tools: ["served.write"] }, served: { write: ["$workspace"] } } },
    );
    const { asked, confirm } = person(false);
    const result = await made.host.call("nag.go", {}, { confirm });
    expect(asked).toHaveLength(3);
    const silenced =
      "Tool 'served.write' needs confirmation, but 3 confirmations in a row were not approved; it may ask again in 10 minutes";
    expect(result.output).toEqual([...Array(3).fill("User denied this operation."), ...Array(3).fill(silenced)]);
    const silent = made.events.filter(({ type }) => type === "tool.confirmation_requested" || type === "tool.confirmation_resolved");
    expect(silent).toHaveLength(6);
    // The client's own calls still need a confirmation.
    await made.host.call("served.write", {}, { confirm });
    expect(asked).toHaveLength(4);
  });

  it("requests a name of a megabyte: the journal keeps part of it, and no tool has that name [AU1.bounded, C9.forged]", async () => {
    const name = `"n".repeat(900_000)`;
    await using made = await chainHost({
      loud: {
        main: `export async function go(_args, { tools }) {
          const come = (error) => error.name;
          return [await tools.call(${name}).catch(come), await Deno.permissions.request({ name: "env", variable: ${name} }).then(({ state }) => state, come), (() => { try { return Deno.env.get(${name}); } catch (error) { return come(error); } })()];
        }`,
        tools: { go: {} },
        manifest: { permissions: { env: ["HOME"], tools: ["echo"] } },
      },
    });
    expect((await made.host.call("loud.go", {}, { confirm: async () => true })).output).toEqual(["TypeError", "denied", "NotCapable"]);
    const acts = made.events.filter(({ type }) => type === "capability.denied");
    expect(acts).toHaveLength(2);
    for (const act of acts) expect(JSON.stringify(act).length).toBeLessThan(10_000);
  });

  it("requests twice at once: one confirmation at a time, and none for what the first answer covers [E7.at-once]", async () => {
    await using host = await asking();
    const asked: string[] = [];
    let open = 0;
    const confirm: ConfirmPrompt = async ({ permission }) => {
      expect(++open).toBe(1);
      asked.push(permission?.value ?? "");
      await Promise.resolve();
      open -= 1;
      return true;
    };
    const wanted = [
      { name: "read", path: "docs" },
      { name: "read", path: "docs/a.txt" },
      { name: "env", variable: "HOME" },
    ];
    expect(await host.host.call("demo.run", { asked: wanted }, { confirm })).toMatchObject({
      output: { states: ["granted", "granted", "granted"] },
    });
    expect(asked).toEqual(["/workspace/docs", "HOME"]);
  });

  it("is cancelled before or during a request: the confirmation disappears, and a late answer has no effect [E7.cancelled, E7.replay]", async () => {
    await using host = await asking();
    const stop = new AbortController();
    let seen: ConfirmationRequest | undefined;
    const confirm: ConfirmPrompt = (request, signal) => {
      seen = request;
      stop.abort();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
    };
    const result = await host.host.call("demo.run", { asked: [{ name: "read", path: "docs" }] }, { confirm, signal: stop.signal });
    expect(result).toMatchObject({ output: { states: ["AbortError"] } });
    expect(host.host.confirmations.list()).toEqual([]);
    const { requestId = "", hash = "" } = seen ?? {};
    expect(host.host.confirmations.answer(requestId, { approve: true, hash })).toBe("unknown");
  });

  it("is answered from elsewhere, once and only for what was shown [E7.replay]", async () => {
    await using host = await asking();
    const outcomes: string[] = [];
    const confirm: ConfirmPrompt = async ({ requestId, hash, permission }, signal) => {
      const answer = (given: string): void => void outcomes.push(host.host.confirmations.answer(requestId, { approve: true, hash: given }));
      answer("0".repeat(64));
      answer(hash);
      answer(hash);
      expect([signal.aborted, permission?.value]).toEqual([true, "/workspace/docs"]);
      return false;
    };
    const result = await host.host.call("demo.run", { asked: [{ name: "read", path: "docs" }], read: "docs/a.txt" }, { confirm });
    expect(outcomes).toEqual(["changed", "answered", "unknown"]);
    expect(result).toMatchObject({ output: { states: ["granted"], text: "a" } });
  });

  it("gains nothing from a yes to a version that was replaced meanwhile [E7.never-more]", async () => {
    await using host = await asking();
    const confirm: ConfirmPrompt = async () => {
      host.platform.plant("/workspace/plugins/demo/main.ts", `${ASKS}// another`);
      await host.host.reload();
      return true;
    };
    const asked = { asked: [{ name: "read", path: "docs" }], read: "docs/a.txt" };
    const result = await host.host.call("demo.run", asked, { confirm });
    expect(result).toMatchObject({ output: { states: ["denied"], text: "NotCapable" } });
  });

  it("gains nothing from a yes after the policy changed [E7.never-more]", async () => {
    await using host = await asking();
    const confirm: ConfirmPrompt = async () => {
      host.host.policy.addLayer("global", { name: "late", permissions: { read: { deny: ["docs"] } } });
      return true;
    };
    const result = await host.host.call("demo.run", { asked: [{ name: "read", path: "docs" }], read: "docs/a.txt" }, { confirm });
    // The call itself ends, because its grant was reduced.
    expect(result).toMatchObject({ ok: false, error: { code: "permission_denied", details: { reason: "revoked" } } });
  });
});
