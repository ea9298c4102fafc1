/** The model of the VS Code extension, with a real host in a folder of its own and the real socket. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { changeSides } from "../../../extensions/vscode/src/change-sides.ts";
import { HostModel, type HostState } from "../../../extensions/vscode/src/model.ts";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { openSocketDoor } from "../../../host/doors/socket/socket.ts";
import { connectToHost } from "../../../host/doors/socket/socket-client.ts";
import { createHost, type Host } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const platform = currentPlatform();
const MAIN = `export async function jot({ text }: { text: string }) {
  const before = await Deno.readTextFile("diary.txt");
  await Deno.writeTextFile("diary.txt", before + text + "\\n");
  return { text };
}`;

async function project(): Promise<string> {
  const root = await temporaryFolder();
  const tool = {
    ...{ name: "jot", description: "Adds a line", sideEffects: ["read", "write"] },
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  };
  const manifest = {
    schemaVersion: "1.0",
    name: "diary",
    version: "1.0.0",
    description: "Keeps a diary",
    permissions: { read: ["$workspace"], write: ["$workspace"] },
    tools: [tool],
  };
  await mkdir(join(root, "plugins/diary"), { recursive: true });
  await writeFile(join(root, "plugins/diary/manifest.json"), JSON.stringify(manifest));
  await writeFile(join(root, "plugins/diary/main.ts"), MAIN);
  await writeFile(join(root, "diary.txt"), "one\n");
  await writeFile(join(root, "bascule.json"), "{}");
  return root;
}

/** Serves the project, as \`bascule dev\` does. */
async function serve(root: string): Promise<{ readonly host: Host; stop(): Promise<void> }> {
  const config = { confirmation: { preview: true }, policy: { rules: [{ tool: "jot", confirm: "prompt" }] } };
  await writeFile(join(root, "bascule.json"), JSON.stringify(config));
  const at = { ...platform, environment: { ...platform.environment, cwd: root } };
  const host = await createHost({ platform: at, plugins: "plugins", config: join(root, "bascule.json"), trust: "agreed" });
  const open = (): ReturnType<typeof createOperations> =>
    createOperations({ host, files: at.files, slices: at.slices, session: host.session(), about: { version: "1", pid: 1 } });
  const door = await openSocketDoor({ platform: at, stateDirectory: `${root}/.bascule`, open });
  const stop = async (): Promise<void> => {
    await host.close();
    await door.close();
  };
  return { host, stop };
}

describe("HostModel", () => {
  it(
    "follows a host from its start to its end: grants, a question with its diff, the answer, the call and the record [DI4.vscode-host]",
    { timeout: 60_000 },
    async () => {
      const root = await project();
      let tryAgain = (): void => {};
      let attempts = 0;
      const model = new HostModel({
        connect: () => {
          attempts += 1;
          return connectToHost(platform, `${root}/.bascule`);
        },
        onChange: () => {},
        now: Date.now,
        pause: (signal) =>
          new Promise((resolve) => {
            tryAgain = resolve;
            signal.addEventListener("abort", () => resolve(), { once: true });
          }),
      });
      onTestFinished(() => model.close());
      const until = async (is: (state: HostState) => boolean): Promise<void> => {
        await expect.poll(() => is(model.state)).toBe(true);
      };
      model.start();
      await expect.poll(() => attempts).toBe(1);
      expect(() => model.operations).toThrow("No host runs in this project: start one with the command Bascule: Start Host");

      const { host, stop } = await serve(root);
      onTestFinished(stop);
      tryAgain();
      await until(({ plugins }) => plugins.some(({ name, missing }) => name === "diary" && missing.write !== undefined));
      expect(model.state.status?.workspace).toBe(root);

      const diary = model.state.plugins.find(({ name }) => name === "diary");
      await model.grant("diary", diary?.missing ?? {});
      await until(({ plugins }) => plugins.some(({ name, missing }) => name === "diary" && Object.keys(missing).length === 0));

      const { callId } = await host.call("jot", { text: "two" });
      await until(({ questions }) => questions.length === 1);
      const [question] = model.state.questions;
      const [change] = question?.request.preview?.changes ?? [];
      expect(change && changeSides(change, "one\n")).toEqual({ ok: true, before: "one\n", after: "one\ntwo\n" });
      expect(model.state.calls[0]).toMatchObject({ tool: "diary.jot", state: "waiting" });
      if (question !== undefined) await model.answer(question, { approve: true });
      await expect.poll(() => host.result(callId)?.status).toBe("success");
      expect(await readFile(join(root, "diary.txt"), "utf8")).toBe("one\ntwo\n");
      await until(({ calls, questions }) => calls[0]?.state === "done" && questions.length === 0);
      expect(model.state.record.map(({ type }) => type)).toEqual(expect.arrayContaining(["tool.completed", "grant.changed"]));
      if (question !== undefined)
        await expect(model.answer(question, { approve: true })).rejects.toThrow("The call of diary.jot no longer waits");

      const refused = await host.call("jot", { text: "three" });
      await until(({ questions }) => questions.length === 1);
      const [second] = model.state.questions;
      if (second !== undefined) await model.answer(second, { approve: false, reason: "Not today" });
      await expect
        .poll(() => host.result(refused.callId))
        .toMatchObject({ ok: false, error: { code: "user_denied", message: expect.stringContaining("Not today") } });

      await stop();
      await until(({ status }) => status === undefined);
      expect(model.state).toEqual({ plugins: [], questions: [], calls: [], record: [], notes: [] });
    },
  );

  it("reads the lists again after events were missed, and shows what it did not get [DI4.vscode-missed]", async () => {
    const asked: string[] = [];
    const later = new Promise<never>(() => {});
    let send = (_missed: { readonly missed: number } | { readonly damage: string }): void => {};
    const operations = {
      status: () => Promise.resolve({ workspace: "/p" }),
      list: () => Promise.resolve((asked.push("list"), [])),
      pending: () => Promise.resolve((asked.push("pending"), [])),
      watch: (_recent: number, { onEvent }: { readonly onEvent: typeof send }) => {
        send = onEvent;
        return later;
      },
    };
    // Only these operations are used.
    const connection = { operations, close: () => {} } as unknown as Awaited<
      ReturnType<ConstructorParameters<typeof HostModel>[0]["connect"]>
    >;
    const model = new HostModel({ connect: () => Promise.resolve(connection), onChange: () => {}, now: () => 0, pause: () => later });
    model.start();
    await expect.poll(() => asked).toEqual(["list", "pending"]);
    send({ missed: 3 });
    send({ damage: "row 4 cannot be read" });
    await expect.poll(() => asked).toEqual(["list", "pending", "list", "pending"]);
    expect(model.state.notes).toEqual(["The journal cannot be read in part: row 4 cannot be read", "3 events were not received"]);
  });
});
