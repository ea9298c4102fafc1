/** Short messages about an act that succeeded or failed, in the corner of the page. Errors stay until they are dismissed. */

import { type Signal, signal } from "@preact/signals";
import { X } from "lucide";
import type { VNode } from "preact";
import { Button } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const toasts: Signal<readonly Toast[]> = signal([]);
const SHOWN_MS = 6_000;
const MAX_TOASTS = 4;
let nextId = 0;

/** Shows a message. The newest four are shown. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const id = nextId++;
  toasts.value = [...toasts.value.filter((other) => other.text !== text), { id, text, tone }].slice(-MAX_TOASTS);
  if (tone === "good") setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismissErrors(): void {
  toasts.value = toasts.value.filter(({ tone }) => tone !== "bad");
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((other) => other.id !== id);
}

export function Toasts(): VNode {
  const of = (tone: Toast["tone"]): readonly Toast[] => toasts.value.filter((shown) => shown.tone === tone);
  return (
    <div class="toasts">
      <div role="status">{of("good").map(show)}</div>
      <div role="alert">{of("bad").map(show)}</div>
    </div>
  );
}

function show({ id, text, tone }: Toast): VNode {
  return (
    <div key={id} class={`toast ${tone}`}>
      <span>{text}</span>
      <Button variant="ghost" icon={X} label="Dismiss message" onClick={() => dismiss(id)} />
    </div>
  );
}
