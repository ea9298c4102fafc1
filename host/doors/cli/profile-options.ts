/** Options of a profile, of `trace` and `call`. */

import type { OptionSpec } from "./arguments.ts";

export const PROFILE_OPTIONS: readonly OptionSpec[] = [
  { name: "profile-out", value: "file", about: "Write the profile as a .cpuprofile, for Chrome's developer tools and speedscope" },
];
