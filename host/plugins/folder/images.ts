/**
 * Counts references to the plugin images that the sandbox keeps, by hash.
 *
 * The directory holds the served version; every running call leases the version it began with. An image is unloaded with its last
 * reference, so a reload never removes it during a call (SPEC H4).
 */

import type { LoadOutcome, Sandbox } from "../../../sandbox/mod.ts";
import { type AcceptedLimits, NO_LIMITS } from "../../policy/tool-limits.ts";
import type { ImageLease } from "../../routes/wasm.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { toSource } from "./compile.ts";

/** Keeps images alive. */
export interface PluginImages {
  /** Loads a version beside those in use. If it loads, it is held until `release(digest)`. */
  hold(version: PluginVersion): Promise<LoadOutcome>;
  release(digest: string): void;
  /** Leases an image for a call, which waits for `ready`: an unloaded image is loaded again, from the version's own bytes. */
  lease(version: PluginVersion): ImageLease;
  /** Resolves when the image is neither held nor leased. */
  gone(digest: string): Promise<void>;
  /** Hashes of held and leased images. */
  held(): readonly string[];
}

interface PluginImagesOptions {
  /** Limits above the defaults that a manifest gets. Default: none. */
  readonly acceptedLimits?: AcceptedLimits;
  /** Other versions are loaded at their first lease, so that a host for one call starts fast. Default: all. */
  readonly loadsAtOnce?: (version: PluginVersion) => boolean;
}

export function createPluginImages(sandbox: Pick<Sandbox, "load" | "unload">, options: PluginImagesOptions = {}): PluginImages {
  const { acceptedLimits = () => NO_LIMITS, loadsAtOnce = () => true } = options;
  const images = new Map<string, Image>();

  function claim(version: PluginVersion): Image {
    const { digest } = version;
    const known = images.get(digest);
    if (known !== undefined) {
      known.claims += 1;
      return known;
    }
    const image: Image = { digest, claims: 1, loaded: undefined, outcome: undefined, waiting: [] };
    images.set(digest, image);
    return image;
  }

  function loaded(image: Image, version: PluginVersion): Promise<LoadOutcome> {
    if (image.loaded !== undefined) return image.loaded;
    image.loaded = sandbox.load(toSource(version, acceptedLimits(version)));
    // A failed load is not cached: the next claim tries again.
    const forget = (): void => void (images.get(image.digest) === image && images.delete(image.digest));
    void image.loaded.then((outcome) => {
      if (outcome.ok) image.outcome = outcome;
      else forget();
    }, forget);
    return image.loaded;
  }

  function disclaim(image: Image): void {
    image.claims -= 1;
    if (image.claims > 0 || images.get(image.digest) !== image) return;
    images.delete(image.digest);
    sandbox.unload(image.digest);
    for (const tell of image.waiting) tell();
  }

  return {
    hold: (version) => {
      const image = claim(version);
      return loadsAtOnce(version) ? loaded(image, version) : Promise.resolve(NOT_YET);
    },
    release: (digest) => {
      const image = images.get(digest);
      if (image !== undefined) disclaim(image);
    },
    lease: (version) => {
      const image = claim(version);
      let open = true;
      return {
        ready: image.outcome ?? loaded(image, version),
        release: () => {
          if (open) disclaim(image);
          open = false;
        },
      };
    },
    gone: (digest) =>
      new Promise((resolve) => {
        const image = images.get(digest);
        if (image === undefined) resolve();
        else image.waiting.push(resolve);
      }),
    held: () => [...images.keys()],
  };
}

/** Outcome for a version that is loaded when it is called. */
const NOT_YET: LoadOutcome = { ok: true, loadMs: 0, imageBytes: 0 };

interface Image {
  readonly digest: string;
  /** Undefined until it is first needed. */
  loaded: Promise<LoadOutcome> | undefined;
  /** Undefined until it has loaded. */
  outcome: LoadOutcome | undefined;
  claims: number;
  /** Called when it is unloaded. */
  readonly waiting: (() => void)[];
}
