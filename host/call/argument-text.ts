/** Arguments of a call before the host has read them. */

import type { JsonValue } from "../../manifests/mod.ts";

/** Arguments as a door provides them: parsed, or still text. */
export type RawArguments = JsonValue | JsonArgumentText;

/** Arguments as JSON text. A class, so that no argument value can be mistaken for it. */
export class JsonArgumentText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
