/** What `scripts/guest-packages.ts` makes of the package urlpattern-polyfill. */

/** Runs the package's code. */
export function load(): { readonly URLPattern: { new (...args: unknown[]): object; readonly prototype: object } };
