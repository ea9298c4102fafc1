import { applyPatch, createTwoFilesPatch, diffJson, diffWords } from "diff";

export const words = () => diffWords("the old one", "the new one");
export const patches = () => createTwoFilesPatch("a", "b", "1\n2\n3\n", "1\nzwei\n3\n");
export const applies = () => applyPatch("1\n2\n3\n", createTwoFilesPatch("a", "b", "1\n2\n3\n", "1\nzwei\n3\n"));
export const json = () => diffJson({ a: 1, b: 2 }, { a: 1, b: 3 }).length;
