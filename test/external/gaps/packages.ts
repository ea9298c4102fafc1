/** Why programs with packages answer otherwise than on Node. */

import { type Gap, gap } from "./gap.ts";

export const PACKAGES_GAPS: readonly Gap[] = [
  gap(/^ejs: complains/, "the engine words its own errors otherwise"),
  gap(/^jsonpath-plus: /, "the engine refuses `-` and `;;` outside of classes in regular expressions with the flag `v`"),
];
