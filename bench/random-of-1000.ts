/** `random_of_1000`: a fresh call of a random one of 1,000 loaded plugins, against a warm call of the only one. */

import type { InThreadPlugin } from "../test/support/in-thread.ts";
import { echo, loadFresh, loadWarm } from "./fresh.ts";
import { againstInUs, type Bench, compareBatches, type Measured } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";

const PLUGINS = 1_000;
/** Random indexes, read by `index & mask`; a prime step through 1,000 would be a pattern. */
const DRAWS = 8_192;

export const randomOf1000: Bench = {
  id: "random_of_1000",
  async run(): Promise<Measured> {
    const warm = await loadWarm(PLUGIN_2KB);
    const slot = await loadFresh(numbered(0));
    const images = [slot.image];
    for (let number = 1; number < PLUGINS; number++) images.push((await loadFresh(numbered(number))).image);
    mustSwitch(slot, images);

    const drawn = Array.from({ length: DRAWS }, () => images[Math.floor(Math.random() * PLUGINS)] ?? slot.image);
    let turn = 0;
    const times = compareBatches({
      warm: () => echo(warm),
      random: () => {
        slot.restore(drawn[turn++ % DRAWS]);
        echo(slot);
      },
    });
    return againstInUs(times, "random", "warm");
  },
};

/** Every plugin differs a little, as real plugins do. */
function numbered(number: number): string {
  return `${PLUGIN_2KB}\nconst LABEL = "plugin ${number}";\nexport function label() { return LABEL; }`;
}

/** @throws {Error} if the slot does not become the plugin whose image it takes. */
function mustSwitch(slot: InThreadPlugin, images: readonly InThreadPlugin["image"][]): void {
  for (const number of [PLUGINS - 1, 0, PLUGINS >> 1]) {
    slot.restore(images[number]);
    if (!slot.call("label").includes(`"plugin ${number}"`)) throw new Error(`The slot is not plugin ${number} after its restore`);
  }
}
