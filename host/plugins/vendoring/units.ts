/** Groups packages that are bundled together. */

import type { LocatedPackage } from "./locate-packages.ts";

/** Packages that share their modules: one package with its sub-paths, and the peers among them. */
export interface Unit<P> {
  readonly packages: readonly P[];
  /** False if its files stay as they are. */
  readonly isBuilt: boolean;
}

/** Facts about packages, located or only known from an earlier run. */
type Grouped = Pick<LocatedPackage, "key" | "peers" | "dependencies"> & { readonly isKept: boolean };

/**
 * Peers always share a unit, because they share state. A package and its dependency share one only if both are new: a package that is there
 * already is not changed by another one.
 */
export function groupUnits<P extends Grouped>(packages: readonly P[]): readonly Unit<P>[] {
  const byName = new Map(packages.map((one) => [one.key.replace(/^npm:/, ""), one]));
  const unitOf = new Map(packages.map((one) => [one, new Set([one])]));
  const join = (a: P, b: P): void => {
    const [into, from] = [unitOf.get(a), unitOf.get(b)];
    if (into === undefined || from === undefined || into === from) return;
    for (const one of from) {
      into.add(one);
      unitOf.set(one, into);
    }
  };
  for (const one of packages) {
    for (const name of one.peers) joinIfThere(one, byName.get(name), true);
    for (const name of one.dependencies) joinIfThere(one, byName.get(name), false);
  }
  function joinIfThere(one: P, other: P | undefined, isPeer: boolean): void {
    if (other === undefined || (one.isKept && other.isKept)) return;
    if (isPeer || (!one.isKept && !other.isKept)) join(one, other);
  }
  return [...new Set(unitOf.values())].map((unit) => ({ packages: [...unit], isBuilt: [...unit].some(({ isKept }) => !isKept) }));
}

/** Packages that have a copy of their own of another vendored package, which was there before. */
export function ownCopies<P extends Grouped>(packages: readonly P[]): readonly { readonly of: P; readonly in: P }[] {
  return packages.flatMap((one) =>
    packages
      .filter((other) => !one.isKept && other.isKept && one.dependencies.has(other.key.replace(/^npm:/, "")))
      .map((other) => ({ of: other, in: one })),
  );
}
