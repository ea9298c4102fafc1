/** Keys of one letter work on a page only while no text is typed and no dialog is open. */

/** Returns whether a key belongs to something else than the page: a field, a shortcut of the browser, an open dialog or menu. */
export function isTyping({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true;
  if (target instanceof Element && target.closest("input, textarea, select, [contenteditable], [role=menu], [role=dialog]") !== null)
    return true;
  return document.querySelector("[role=dialog], [role=menu]") !== null;
}
