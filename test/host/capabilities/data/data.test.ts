import { describe, expect, it } from "vitest";
import type { BridgeContext } from "../../../../host/capabilities/mod.ts";
import { answerOperation } from "../../../../host/capabilities/mod.ts";
import { compilePermissions, type Permissions, type PermissionLayer } from "../../../../manifests/mod.ts";
import type { HostAnswer } from "../../../../sandbox/mod.ts";
import { testCall, type TestCall } from "../../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";

const FOLDER = "/state/data/words";
const BASES = { base: WORKSPACE, workspace: WORKSPACE, data: FOLDER };

const layer = (name: string, permissions: Permissions, otherwise: PermissionLayer["otherwise"]): PermissionLayer => ({
  ...{ name, permissions: compilePermissions(permissions, BASES), unnamed: "none", otherwise },
});

function start(
  layers: readonly PermissionLayer[],
  data: Partial<NonNullable<BridgeContext["data"]>> = {},
): TestCall & {
  readonly ask: (access: string, request?: object) => Promise<HostAnswer>;
} {
  const call = testCall({ platform: memoryPlatform({}), cwd: WORKSPACE, permissions: {} });
  const context = {
    ...call.context,
    grant: { layers },
    data: { folder: FOLDER, database: "/state/databases/words", quotaBytes: 1024 * 1024, isDryRun: false, ...data },
  };
  const ask = async (access: string, request: object = { kv: "get", key: "a" }): Promise<HostAnswer> =>
    await answerOperation({ name: `data.${access}`, args: {}, bytes: new TextEncoder().encode(JSON.stringify(request)) }, context);
  return { ...call, context, ask };
}

const ALL = { read: ["$data"], write: ["$data"] };
const granted = (permissions: Permissions): readonly PermissionLayer[] => [
  layer("manifest", ALL, "denied"),
  layer("user grant", permissions, "prompt"),
];
const message = (answer: HostAnswer): string => (answer.ok ? "ok" : `${answer.error.name}: ${answer.error.message}`);

describe("the bridge of context.data", () => {
  it("answers with what the database says, and records the access [AX3.permission]", async () => {
    const { ask, acts } = start(granted(ALL));
    expect(await ask("write", { kv: "set", key: "a", value: "1" })).toMatchObject({ ok: true, value: null });
    const read = await ask("read");
    expect(read.ok && new TextDecoder().decode(read.bytes)).toContain('{"key":"a","value":"1","version":1}');
    expect(acts.map(({ decision, permission, value }) => [decision, permission, value])).toEqual([
      ["granted", "write", FOLDER],
      ["granted", "read", FOLDER],
    ]);
  });

  it("needs the permission for $data, to read and to write, and names the smallest that helps [AX3.permission]", async () => {
    const onlyRead = start(granted({ read: ["$data"] }));
    expect(message(await onlyRead.ask("read"))).toBe("ok");
    expect(message(await onlyRead.ask("write"))).toBe(
      `NotCapable: Requires write access to "${FOLDER}", grant it with: bascule grant words --allow-write='$data'`,
    );
    expect(onlyRead.acts.at(-1)?.decision).toBe("denied");
    const asked = start([layer("manifest", { read: ["docs"] }, "denied")]);
    expect(message(await asked.ask("read"))).toBe(
      'NotCapable: Requires read access to "$data", which the manifest does not request (add "$data" to "read" of its "permissions")',
    );
    const ofClass = start([layer("manifest", ALL, "denied"), layer("class", { read: true }, "denied")]);
    expect(message(await ofClass.ask("write"))).toBe(
      'NotCapable: Requires write access to "$data", which the tool\'s "sideEffects" do not include (add "write" to them)',
    );
  });

  it("changes nothing in a dry run, and reads [AX3.dry-run]", async () => {
    const { ask } = start(granted(ALL), { isDryRun: true });
    expect(message(await ask("read"))).toBe("ok");
    expect(message(await ask("write", { script: "CREATE TABLE t (a)" }))).toBe(
      "NotSupported: A dry run changes nothing in context.data, and cannot show what it would change (reading works)",
    );
  });

  it("refuses malformed statements, and those of a host tool [AX3.statements]", async () => {
    const { ask, context } = start(granted(ALL));
    for (const request of [[], {}, { steps: 1 }, { steps: [{}] }, { steps: [{ sql: "SELECT ?", sets: [null] }] }, { script: 1 }])
      expect(message(await ask("write", request))).toMatch(/^TypeError: /);
    const bytes = new Uint8Array([255, 0]);
    expect(message(await answerOperation({ name: "data.read", args: {}, bytes }, context))).toBe("TypeError: The statements are not JSON");
    expect(message(await answerOperation({ name: "data.read", args: {} }, context))).toBe("TypeError: The statements are missing");
    const { data: _none, ...without } = context;
    expect(message(await answerOperation({ name: "data.read", args: {}, bytes }, without))).toBe(
      "NotSupported: This tool belongs to no plugin, so it has no data of its own",
    );
  });
});
