import { expect, it } from "vitest";
import { CURRENT, ENTERED_AT, END_BY } from "../../../sandbox/wire/protocol.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

it.each([7_777, -1, 1])(
  "attack: a worker claims to run guest %i, which it was not given, to block a call forever [B10] [B5.worker]",
  async (forged) => {
    const { sandbox, current, pass, finish, defects } = await hostileWorkers();
    const outcome = sandbox.invoke(INVOCATION);
    const { control } = current();
    control.words[CURRENT] = forged;
    control.times[ENTERED_AT] = Number.POSITIVE_INFINITY;
    control.times[END_BY] = Number.POSITIVE_INFINITY;
    await pass(2);
    expect(defects).toEqual(["A worker claims to run a guest that it was not given"]);
    finish('{"o":"elsewhere"}');
    expect(await outcome).toMatchObject({ ok: true, output: { o: "elsewhere" } });
  },
);
