/** Stands for members of Node's modules that plugins do not have: it can be extended and inspected, and throws when it is called. */

import { sandbox } from "./globals.ts";

/** @param name the module and the member, such as `node:crypto createCipheriv` */
export function absent(module: string, member: string): unknown {
  const refuse = (): never => {
    throw new sandbox.Deno.errors.NotSupported(`A plugin's ${module} has no ${member}(): use web or Deno APIs`);
  };
  return new Proxy(class {}, {
    get: (target, key) =>
      typeof key === "symbol" || key in target ? (Reflect.get(target, key) as unknown) : absent(module, `${member}.${key}`),
    apply: refuse,
    construct: refuse,
  });
}
