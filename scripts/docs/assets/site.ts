/** Script of every page: colours, search, copying, the table of contents. Pages can be read without it. */

import { installSearch } from "./search.ts";

document.documentElement.classList.add("scripted");
installTheme();
installCopying();
installContents();
installSearch();
releaseShortBlocks();
keepSidebarInView();

function installTheme(): void {
  const root = document.documentElement;
  const button = document.querySelector<HTMLButtonElement>(".theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = (): boolean => (root.dataset["theme"] ?? (system.matches ? "dark" : "light")) === "dark";
  const show = (): void => button?.setAttribute("aria-pressed", String(isDark()));
  button?.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset["theme"] = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // A browser may refuse storage; then the choice holds for this page.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}

/** Adds a button to each block of code. Of a terminal it copies the commands, without prompts and output. */
function installCopying(): void {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    const text = block.dataset["copy"] ?? "";
    if (text === "") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(text).then(
        () => (button.textContent = "Copied"),
        () => (button.textContent = "Not allowed"),
      );
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
}

/** Marks the heading that is being read. */
function installContents(): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".contents a")) links.set(decodeURIComponent(link.hash.slice(1)), link);
  if (links.size === 0) return;
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  const mark = (): void => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
    const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 2;
    const current = (isAtEnd && scrollY > 0 ? headings.at(-1) : passed.at(-1)) ?? headings[0];
    for (const [id, link] of links) {
      if (id !== current?.id) link.removeAttribute("aria-current");
      else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "location");
        scrollWithin(link.closest(".contents"), link);
      }
    }
  };
  let isWaiting = false;
  addEventListener(
    "scroll",
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

/** Tables and blocks that do not scroll need no stop for the keyboard. */
function releaseShortBlocks(): void {
  for (const block of document.querySelectorAll<HTMLElement>("pre[tabindex], .table[tabindex], .diagram[tabindex]")) {
    if (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight) continue;
    block.removeAttribute("tabindex");
    block.removeAttribute("role");
    block.removeAttribute("aria-label");
  }
}

function keepSidebarInView(): void {
  const current = document.querySelector<HTMLElement>('.sidebar [aria-current="page"]');
  if (current !== null) scrollWithin(current.closest(".sidebar"), current);
}

/** Scrolls only the given container, never the page. */
function scrollWithin(container: Element | null, child: HTMLElement): void {
  if (container === null) return;
  const [outer, inner] = [container.getBoundingClientRect(), child.getBoundingClientRect()];
  if (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 40) container.scrollTop += inner.top - outer.top - outer.height / 3;
}
