import { vi } from 'vitest';

interface Sight {
  /** Brings what an element holds into sight. */
  show(element: Element): void;
  /** Takes it out of sight. */
  hide(element: Element): void;
}

/** Stands in for what the browser knows of what is in sight, which a page without a layout can not know. */
export function watchSight(): Sight {
  const watched = new Map<Element, IntersectionObserverCallback>();
  class Observer {
    readonly #callback: IntersectionObserverCallback;
    readonly #mine = new Set<Element>();
    constructor(callback: IntersectionObserverCallback) {
      this.#callback = callback;
    }
    observe(element: Element) {
      this.#mine.add(element);
      watched.set(element, this.#callback);
    }
    disconnect() {
      for (const element of this.#mine) watched.delete(element);
    }
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  const notify = (element: Element, isIntersecting: boolean) => {
    for (const [target, callback] of watched) {
      const entry = { isIntersecting, target } as IntersectionObserverEntry;
      if (element.contains(target)) callback([entry], {} as IntersectionObserver);
    }
  };
  return { show: (element) => notify(element, true), hide: (element) => notify(element, false) };
}
