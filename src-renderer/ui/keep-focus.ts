/** Where the focus is: the element, and its ancestors, each with the position of the branch that leads to the element. */
interface Place {
  readonly element: HTMLElement;
  readonly path: readonly { readonly ancestor: Element; readonly index: number }[];
}

const control = 'a, button, input, select, textarea';

let place: Place | null = null;
/** True from the moment when the element could no longer have the focus until something has it again. */
let isLost = false;

/**
 * Returns the element that has the focus. While a button works, it is disabled and the browser gives its focus to the
 * page as a whole: then this is still the button.
 */
export function focusedElement(): Element | null {
  const { activeElement } = document;
  return activeElement === document.body && place !== null ? place.element : activeElement;
}

/**
 * Keeps the focus near its place when its element disappears or is disabled. The element that took its place gets the
 * focus, or the closest one around it: screen readers continue from there, and so does the Tab key. Neither is a control,
 * so a key that is pressed once too often does nothing. An element that is only disabled for a while, such as a button
 * that works, gets the focus back.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (isStandIn(target)) return;
    place = target instanceof HTMLElement ? { element: target, path: pathOf(target) } : null;
    isLost = false;
  });
  // After a click beside everything, no element is meant to have the focus.
  document.addEventListener('pointerdown', () => setTimeout(() => isNowhere() && (place = null)));
  new MutationObserver(() => {
    if (place === null) return;
    isLost ||= !isUsable(place.element);
    // After the page is drawn: browsers take the focus from a disabled element then, and dialogs return it before.
    if (isLost) requestAnimationFrame(() => setTimeout(settle));
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['disabled', 'data-loading'] });
}

function settle(): void {
  if (place === null || !isLost) return;
  const { element } = place;
  const isWaiting = isStandIn(document.activeElement);
  if (!isWaiting && !isNowhere()) return;
  if (isUsable(element)) element.focus({ preventScroll: true });
  else if (isWaiting) return;
  else if (!element.isConnected) focusPlace(successorOf(place));
  else if (!element.hasAttribute('data-loading')) focusPlace(element.parentElement);
}

function isNowhere(): boolean {
  return document.activeElement === document.body;
}

/** Returns whether `target` has the focus only until its own element can have it again. */
function isStandIn(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.dataset['focusPlace'] !== undefined;
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled');
}

function pathOf(element: HTMLElement): Place['path'] {
  const path: { ancestor: Element; index: number }[] = [];
  for (let child: Element = element; child.parentElement !== null; child = child.parentElement) {
    path.push({ ancestor: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  }
  return path;
}

/** Returns the element that is now where the lost one was; the heading of the screen if a whole dialog is gone. */
function successorOf({ path }: Place): Element | null {
  const there = path.find(({ ancestor }) => ancestor.isConnected);
  if (!there?.ancestor.closest('main, [role="dialog"]')) return document.querySelector('main h1');
  const { ancestor, index } = there;
  const next = ancestor.children[index] ?? ancestor.lastElementChild;
  return next === null || next.matches(control) || !next.checkVisibility() ? ancestor : next;
}

/** Gives the focus to an element that usually takes none. */
function focusPlace(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return;
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.dataset['focusPlace'] = '';
    const end = () => {
      element.removeAttribute('tabindex');
      delete element.dataset['focusPlace'];
    };
    element.addEventListener('blur', end, { once: true });
  }
  element.focus({ preventScroll: true });
}
