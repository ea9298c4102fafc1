/** Preferences that this browser keeps: theme, density, saved filters. They hold no token and no data of calls. */

import { effect, type Signal, signal } from "@preact/signals";

const PREFIX = "bascule.";

/** Creates a signal whose value is kept in the browser. @param read returns undefined if the kept value is not valid */
export function keptSignal<T>(name: string, initial: T, read: (kept: unknown) => T | undefined): Signal<T> {
  const kept = signal(readKept(`${PREFIX}${name}`, read) ?? initial);
  let isFirst = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (!isFirst) writeKept(`${PREFIX}${name}`, text);
    isFirst = false;
  });
  return kept;
}

function readKept<T>(key: string, read: (kept: unknown) => T | undefined): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : read(JSON.parse(text));
  } catch {
    // The storage is switched off or holds another program's text: the preference has its default.
    return undefined;
  }
}

function writeKept(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The storage is full or switched off: the preference holds until the page is closed.
  }
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (kept: unknown): T | undefined =>
    values.find((value) => value === kept);

export type Theme = "system" | "light" | "dark";
export type Density = "compact" | "comfortable";

export const theme: Signal<Theme> = keptSignal<Theme>("theme", "system", oneOf(["system", "light", "dark"]));
export const density: Signal<Density> = keptSignal<Density>("density", "compact", oneOf(["compact", "comfortable"]));

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark: Signal<boolean> = signal(prefersDark.matches);
prefersDark.addEventListener("change", ({ matches }) => (isSystemDark.value = matches));

/** Puts theme and density on the document, where the styles read them. */
export function applyPreferences(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    dataset["theme"] = theme.value === "system" ? (isSystemDark.value ? "dark" : "light") : theme.value;
    dataset["density"] = density.value;
  });
}
