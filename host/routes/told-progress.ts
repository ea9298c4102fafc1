/** Reports a call's progress: redacted, in order, above 64 KB in slices and serialized once for all listeners (SPEC LV2). */

import type { JsonValue } from "../../manifests/mod.ts";
import { joined } from "../primitives/json/json-bytes.ts";
import { LARGE_VALUE, sizeOf } from "../primitives/json/known-size.ts";
import { readLarge } from "../primitives/json/read-slices.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import type { Platform } from "../platform/platform.ts";
import type { Secrets } from "../capabilities/secrets/secrets.ts";

interface RedactedProgress {
  readonly value: JsonValue;
  /** The value as one line of JSON in UTF-8; only for a large one. */
  readonly json?: Uint8Array;
}

interface ToldProgressOptions {
  readonly platform: Pick<Platform, "slices">;
  readonly secrets: Pick<Secrets, "redact" | "redactBytes">;
}

/** Whether a value is progress, or a part of the result. */
type Told = "progress" | "yield";

/** A promise holds back what comes next. */
type Tell = (progress: RedactedProgress, kind: Told) => void | Promise<void>;

export class ToldProgress {
  readonly #options: ToldProgressOptions;
  readonly #tell: Tell;
  /** The last report that is still being redacted; later reports wait for it. */
  #telling: Promise<void> | undefined;

  constructor(options: ToldProgressOptions, tell: Tell) {
    this.#options = options;
    this.#tell = tell;
  }

  /** Reports a value. @returns undefined if it was reported at once */
  say(said: JsonValue, kind: Told): Promise<void> | undefined {
    if (this.#telling === undefined && !isLarge(said)) {
      const telling = this.#tell({ value: this.#options.secrets.redact(said) }, kind);
      return telling === undefined ? undefined : this.#keep(telling);
    }
    return this.#keep(this.#sayNext(said, kind, this.#telling));
  }

  #keep(telling: Promise<void>): Promise<void> {
    const told = telling.finally(() => {
      if (this.#telling === told) this.#telling = undefined;
    });
    return (this.#telling = told);
  }

  /** Resolves when everything was reported. */
  async end(): Promise<void> {
    while (this.#telling !== undefined) await this.#telling;
  }

  async #sayNext(said: JsonValue, kind: Told, before: Promise<void> | undefined): Promise<void> {
    await before;
    const { platform, secrets } = this.#options;
    await this.#tell(isLarge(said) ? await platform.slices.run(redacted(said, secrets)) : { value: secrets.redact(said) }, kind);
  }
}

/** Whether a value needs slices. Values of guests are measured; values of native host tools are not, unless they are texts. */
function isLarge(said: JsonValue): boolean {
  return typeof said === "string" ? said.length > LARGE_VALUE : sizeOf(said) !== undefined;
}

function* redacted(said: JsonValue, { redactBytes }: Pick<Secrets, "redactBytes">): Generator<void, RedactedProgress> {
  const written = yield* joined(yield* encodeSlices(said));
  const json = yield* redactBytes({ kind: "json", bytes: written });
  return { value: json === written ? said : yield* readLarge({ kind: "json", bytes: json }), json };
}
