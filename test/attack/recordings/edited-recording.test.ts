/** An attacker edits files in `.bascule/calls/` and has the user replay them. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../../../host/effects/recordings/recording-file.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { sha256Hex } from "../../../host/primitives/digest.ts";
import { type RecordingHost, recordingHost } from "../../support/recording-host.ts";

const MAIN = `export async function run() {
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
  await crypto.subtle.exportKey("raw", key);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await Deno.writeTextFile("out.txt", "written");
  return [await Deno.readTextFile("a.txt"), Date.now()];
}`;

/** Adds a valid hash, which anyone who can write the file can do too. */
async function sealed(body: string): Promise<string> {
  return `{"sha256":"${await sha256Hex(new TextEncoder().encode(body))}",${body.slice(1)}`;
}

function bodyOf(text: string): string {
  return `{${text.slice(text.indexOf(",") + 1)}`;
}

/** Returns every value with the path to it. */
function* placesOf(value: JsonValue, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) yield* placesOf(member, [...path, key]);
}

function withValue(value: JsonValue, path: readonly string[], changed: JsonValue | undefined): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return changed ?? null;
  const copy: Record<string, JsonValue> | JsonValue[] = Array.isArray(value) ? [...(value as JsonValue[])] : { ...(value as JsonObject) };
  const members = copy as Record<string, JsonValue>;
  if (rest.length === 0 && changed === undefined) Reflect.deleteProperty(members, key);
  else members[key] = withValue(members[key] ?? null, rest, changed);
  return members;
}

const HOSTILE: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "x",
  [],
  {},
  [[]],
  { __proto__: 1, length: 1e9 },
];

describe("an edited recording", { timeout: 120_000 }, () => {
  let box: RecordingHost;
  let callId: string;
  let text: string;
  beforeAll(async () => {
    box = await recordingHost(MAIN);
    callId = (await box.call()).callId;
    text = (await box.store.read(callId)) ?? "";
    expect(await readRecording(text)).toMatchObject({ ok: true });
  }, 120_000);
  afterAll(async () => await box[Symbol.asyncDispose]());

  it("is refused if it was changed and its hash was not [B8.edited]", async () => {
    for (const other of [
      text.replace("a.txt", "b.txt"),
      text.replace('"version":1', '"version":2'),
      `${text} `,
      text.slice(0, -2),
      "",
      "[]",
      "{}",
    ])
      expect(await readRecording(other)).toEqual({ ok: false, message: expect.stringMatching(/^Cannot use the recording: /) });
  });

  it("is refused, or read as a recording, with any value in place of any member [B8.shapes]", async () => {
    // The result of JSON.parse is JSON.
    const whole = JSON.parse(bodyOf(text)) as JsonValue;
    let refused = 0;
    for (const path of placesOf(whole))
      for (const changed of HOSTILE) {
        const read = await readRecording(await sealed(JSON.stringify(withValue(whole, path, changed))));
        if (!read.ok) refused++;
        else expect(isJsonObject(read.recording)).toBe(true);
      }
    expect(refused).toBeGreaterThan(500);
  });

  it("is refused with numbers and sizes above the bounds [B8.huge]", async () => {
    const whole = JSON.parse(bodyOf(text)) as JsonValue;
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const changes: readonly (readonly [string, JsonValue, string])[] = [
      ["limits/wallMs", 1e12, `its member "limits"`],
      ["limits/memoryBytes", 2 ** 40, `its member "limits"`],
      ["tape/startMs", 1e17, `its member "tape"`],
      ["tape/looks", Array.from({ length: 200_001 }, () => 1), `its member "tape"`],
      ["tape/entries", Array.from({ length: 50_001 }, () => -1), `its member "tape"`],
      ["tape/entries", [-3], `its member "tape"`],
      ["tape/crypto", [{ operation: 0, answer: "v".repeat(1024 * 1024 + 1) }], `its member "tape"`],
      ["contextText", deep, `its member "contextText"`],
      ["contextText", "[]", `its member "contextText"`],
      ["args", "x".repeat(9_000_000), "it is too large or too deep"],
    ];
    for (const [path, changed, problem] of changes) {
      const read = await readRecording(await sealed(JSON.stringify(withValue(whole, path.split("/"), changed))));
      expect(read).toEqual({ ok: false, message: expect.stringContaining(problem) });
    }
    expect(await readRecording(await sealed(`{"version":1,"args":${deep}}`))).toMatchObject({ ok: false });
  });

  it("ends with a difference at most, with other answers, order or plugin [B8.differs]", async () => {
    const recording = await box.recording(callId);
    const { operations, tape } = recording;
    const others = [
      { ...recording, operations: [] },
      { ...recording, operations: [...operations, ...operations] },
      { ...recording, operations: operations.map(({ answer: _none, ...operation }) => operation) },
      { ...recording, operations: operations.toReversed() },
      { ...recording, tape: { ...tape, entries: [] } },
      { ...recording, tape: { ...tape, entries: Array.from({ length: 50_000 }, () => -1) } },
      { ...recording, tape: { ...tape, entries: Array.from({ length: 50_000 }, () => -2) } },
      { ...recording, tape: { ...tape, entries: [1_000_000, 0] } },
      { ...recording, tape: { ...tape, crypto: tape.crypto.map((answer) => ({ ...answer, answer: "v{" })) } },
      { ...recording, tape: { ...tape, crypto: [] } },
      { ...recording, tape: { ...tape, looks: [] } },
      { ...recording, args: { other: 1 }, seed: "", contextText: "{}" },
    ];
    for (const other of others) expect(await box.replay(other)).toMatchObject({ kind: "different" });
    expect(await box.replay({ ...recording, tool: "demo.other" })).toMatchObject({ kind: "impossible" });
    expect(await box.replay(recording, { "manifest.json": "{}" })).toMatchObject({ kind: "impossible" });
    expect(await box.replay(recording, { "main.ts": "export function run( {" })).toMatchObject({ kind: "impossible" });
    expect(await box.replay(recording)).toMatchObject({ kind: "same" });
  });

  it("gets no plugin if the kept files do not match its hash [B8.digest]", async () => {
    const recording = await box.recording(callId);
    const folder = "/workspace/.bascule/calls/plugins";
    const [pack] = await box.platform.files.list(folder);
    const path = `${folder}/${pack?.name}`;
    const kept = await box.platform.files.readText(path);
    expect(await box.store.readPlugin(recording.digest)).toBeDefined();
    for (const other of [
      kept.replace(/"main\.ts":"/, '"main.ts":"AAAA'),
      "{}",
      "[]",
      "x",
      kept.replace(/"main\.ts":"[^"]*"/, '"main.ts":1'),
    ]) {
      box.platform.plant(path, other);
      expect(await box.store.readPlugin(recording.digest)).toBeUndefined();
    }
    box.platform.plant(path, kept);
  });

  it("reads and writes nothing in a replay [B8.nothing]", async () => {
    const recording = await box.recording(callId);
    await box.platform.files.remove("/workspace/out.txt");
    await box.platform.files.remove("/workspace/a.txt");
    expect(await box.replay(recording)).toMatchObject({ kind: "same" });
    expect(await box.platform.files.stat("/workspace/out.txt")).toBeUndefined();
  });
});
