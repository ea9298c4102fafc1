/** Loads the installer's code on first use, because most hosts never install anything. */

import type { Installer, InstallerOptions } from "./installer.ts";

export function lazyInstaller(options: InstallerOptions): Installer {
  let made: Promise<Installer> | undefined;
  const installer = (): Promise<Installer> => (made ??= import("./installer.ts").then(({ createInstaller }) => createInstaller(options)));
  return {
    inspect: async (source, signal) => await (await installer()).inspect(source, signal),
    install: async (digest) => await (await installer()).install(digest),
  };
}
