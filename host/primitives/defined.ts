/** Objects without undefined members. */

/** The members of `T`, each optional and never undefined. */
type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the members that are not undefined, in their order, for a spread into an object whose optional members may not be undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  // The filter removes exactly what the type excludes.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
