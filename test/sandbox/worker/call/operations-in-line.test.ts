import { expect, it } from "vitest";
import type { HostCallHandler } from "../../../../sandbox/wire/host-call.ts";
import { isJsonObject } from "../../../../manifests/mod.ts";
import { attacker } from "../../../support/attacker.ts";

const MOST = 4;
const TOLD = { limits: { pendingOperations: MOST }, context: { limits: { pendingOperations: MOST } } };

const SOURCE = `
export const all = async ({ count }) => (await Promise.all(Array.from({ length: count }, (_, at) => Deno.readTextFile("f" + at)))).join();
export const some = async () => {
  const all = Array.from({ length: 9 }, (_, at) => Deno.readTextFile(at === 2 ? "bad" : "f" + at).catch((error) => error.message));
  return (await Promise.all(all)).join();
};
export const left = () => { for (let at = 0; at < 9; at++) void Deno.writeTextFile("f" + at, "x"); return "left"; };
`;

interface Reads {
  readonly hostCall: HostCallHandler;
  readonly asked: string[];
  most: number;
}

/** Answers each read with its path, one turn of the event loop later. */
function reads(): Reads {
  let underWay = 0;
  const state: Reads = {
    asked: [],
    most: 0,
    async hostCall({ args }) {
      const path = isJsonObject(args) && typeof args["path"] === "string" ? args["path"] : "";
      state.asked.push(path);
      state.most = Math.max(state.most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      if (path === "bad") return { ok: false, error: { name: "NotFound", message: "No such file" } };
      return { ok: true, value: null, bytes: new TextEncoder().encode(path) };
    },
  };
  return state;
}

it("operations above the limit of pending ones wait in the worker, in order [B3.in-line]", async () => {
  const { call } = await attacker(SOURCE);
  const names = Array.from({ length: 200 }, (_, at) => `f${at}`);
  const first = reads();
  expect(await call("all", { ...TOLD, args: { count: 200 }, hostCall: first.hostCall })).toBe(names.join());
  expect([first.most, first.asked]).toEqual([MOST, names]);
  const second = reads();
  expect(await call("some", { ...TOLD, hostCall: second.hostCall })).toBe("f0,f1,No such file,f3,f4,f5,f6,f7,f8");
});

it("fails a call that returns while operations with effects wait in the worker [B3.in-line] [B4]", async () => {
  const { call } = await attacker(SOURCE);
  const { hostCall } = reads();
  expect(await call("left", { ...TOLD, hostCall })).toMatchObject({
    kind: "unfinished",
    operations: Array.from({ length: 9 }, () => "fs.writeFile"),
  });
});
