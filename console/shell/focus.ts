/**
 * Keeps the focus where the user works (WCAG 2.4.3): after a navigation it is on the page's heading; if the focused element goes away,
 * it moves to the nearest place that is left, and not to the top of the document.
 */

import { effect } from "@preact/signals";
import { HEADING_ID } from "../components/layout.tsx";
import { route } from "./router.ts";

/** Moves the focus to the heading whenever another page is shown. @returns a function that stops it */
export function focusHeadings(): () => void {
  let shown: string | undefined;
  return effect(() => {
    const { page, params } = route.value;
    const place = JSON.stringify([page.id, params]);
    const isFirst = shown === undefined;
    const isSame = shown === place;
    shown = place;
    if (!isFirst && !isSame) requestAnimationFrame(focusHeading);
  });
}

/** Time in which a closed dialog gives the focus back. */
const RETURN_MS = 150;

export function focusHeading(): void {
  document.getElementById(HEADING_ID)?.focus({ preventScroll: true });
  document.querySelector("#main")?.scrollTo(0, 0);
}

/** Watches the document for a focused element that is removed. @returns a function that stops it */
export function keepFocus(root: Element): () => void {
  /** The element that had the focus last, and its ancestors. */
  let trail: readonly Element[] = [];
  const remember = ({ target }: FocusEvent): void => {
    const found: Element[] = [];
    for (let at = target instanceof Element ? target : null; at !== null && at !== document.body; at = at.parentElement) found.push(at);
    trail = found;
  };
  const observer = new MutationObserver(() => {
    const [last, ...rest] = trail;
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return;
    // A dialog or menu that closes gives the focus back itself, unless what opened it is gone too.
    if (trail.some((place) => /^(?:dialog|menu)$/.test(place.getAttribute("role") ?? ""))) {
      setTimeout(() => document.activeElement === document.body && focusHeading(), RETURN_MS);
      return;
    }
    // Headings of the parts around it, and ancestors that take the focus, such as the frame of a table, come before the page's heading.
    for (const place of rest)
      if (place !== root && place.id !== "main" && place.isConnected && (focus(labelOf(place)) || focus(place))) return;
    focusHeading();
  });
  document.addEventListener("focusin", remember);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", remember);
    observer.disconnect();
  };
}

/** Returns the heading that names a part of the page. */
function labelOf(place: Element): Element | null {
  const id = place.getAttribute("aria-labelledby");
  return id === null ? null : document.getElementById(id);
}

function focus(place: Element | null): boolean {
  if (!(place instanceof HTMLElement)) return false;
  place.focus({ preventScroll: true });
  return document.activeElement === place;
}
