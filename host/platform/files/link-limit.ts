/** Maximum number of links followed in one path before it counts as a loop; the same as on Linux (path_resolution(7)). */
export const MAX_LINKS = 40;
