/** Loads the code for bundles on first use, because most hosts never install any. */

import type { BundleActs, BundlesOptions } from "./bundles.ts";

export function lazyBundles(options: BundlesOptions): BundleActs {
  let made: Promise<BundleActs> | undefined;
  const bundles = (): Promise<BundleActs> => (made ??= import("./bundles.ts").then(({ createBundles }) => createBundles(options)));
  return {
    inspectBundle: async (...args) => await (await bundles()).inspectBundle(...args),
    installBundle: async (...args) => await (await bundles()).installBundle(...args),
    removeBundle: async (server) => await (await bundles()).removeBundle(server),
  };
}
