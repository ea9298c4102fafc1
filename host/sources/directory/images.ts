/**
 * Which plugin images the sandbox keeps, counted by digest.
 *
 * The directory holds the version that serves; every call in flight leases the version it began with. An image goes
 * when nobody wants it any more, so a reload never pulls it from under a call (SPEC H4).
 */

import type { Limits } from "../../../manifests/mod.ts";
import type { LoadOutcome, Sandbox } from "../../../sandbox/mod.ts";
import type { PluginVersion } from "../../tool.ts";
import { toSource } from "./compile.ts";

/** A call's claim on the image of the version it runs. */
export interface Lease {
  /** Wait for it before `sandbox.invoke`: an image that had gone is loaded again, from the version's own bytes. */
  readonly ready: Promise<LoadOutcome>;
  /** Ends the claim. Idempotent. */
  release(): void;
}

/** Keeps images alive. */
export interface PluginImages {
  /** Loads a version beside whatever runs. After `ok` it is held until `release(digest)`. */
  hold(version: PluginVersion): Promise<LoadOutcome>;
  release(digest: string): void;
  lease(version: PluginVersion): Lease;
  /** Digests that are held or leased. */
  held(): readonly string[];
}

/** @param ceiling policy's limits, which no manifest goes above. */
export function createPluginImages(sandbox: Pick<Sandbox, "load" | "unload">, ceiling?: Limits): PluginImages {
  const images = new Map<string, Image>();

  function claim(version: PluginVersion): Image {
    const { digest } = version;
    const known = images.get(digest);
    if (known !== undefined) {
      known.claims += 1;
      return known;
    }
    const image: Image = { digest, claims: 1, loaded: sandbox.load(toSource(version, ceiling)) };
    images.set(digest, image);
    // One that could not be loaded is nobody's: the next claim tries again.
    const forget = (): void => void (images.get(digest) === image && images.delete(digest));
    void image.loaded.then((outcome) => outcome.ok || forget(), forget);
    return image;
  }

  function disclaim(image: Image): void {
    image.claims -= 1;
    if (image.claims > 0 || images.get(image.digest) !== image) return;
    images.delete(image.digest);
    sandbox.unload(image.digest);
  }

  return {
    hold: (version) => claim(version).loaded,
    release: (digest) => {
      const image = images.get(digest);
      if (image !== undefined) disclaim(image);
    },
    lease: (version) => {
      const image = claim(version);
      let open = true;
      return {
        ready: image.loaded,
        release: () => {
          if (open) disclaim(image);
          open = false;
        },
      };
    },
    held: () => [...images.keys()],
  };
}

interface Image {
  readonly digest: string;
  readonly loaded: Promise<LoadOutcome>;
  claims: number;
}
