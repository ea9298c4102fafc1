/** What `scripts/guest-packages.ts` makes of the package urlpattern-polyfill. */

/** Runs the package's code, whose errors are of these classes. */
export function load(
  typeError: TypeErrorConstructor,
  rangeError: RangeErrorConstructor,
): { readonly URLPattern: { new (...args: unknown[]): object; readonly prototype: object } };
