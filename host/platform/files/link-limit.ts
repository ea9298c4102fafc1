/** Links followed on one way before it counts as a loop; Linux has the same number (path_resolution(7)). */
export const MAX_LINKS = 40;
