import { assign, createActor, createMachine, waitFor } from "xstate";

const machine = createMachine({
  initial: "off",
  context: { n: 0 },
  states: {
    off: { on: { TOGGLE: { target: "on", actions: assign({ n: ({ context }) => context.n + 1 }) } } },
    on: { after: { 5: "off" } },
  },
});

export const transitions = async () => {
  const actor = createActor(machine).start();
  actor.send({ type: "TOGGLE" });
  const there = actor.getSnapshot().value;
  const back = await waitFor(actor, (snapshot) => snapshot.matches("off"));
  return [there, back.value, back.context];
};
