import { useEffect, useRef, useState, type RefObject } from 'react';

/** Milliseconds that a button must stay in place before a click on it counts. */
export const stillMs = 1000;
/** Milliseconds between two checks of its position. */
const checkMs = 200;
/** Pixels that do not count as a move: a pressed button sinks by one. */
const slack = 3;

/** Where an element is on the screen and in the document, in pixels. */
interface Spot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly scrollX: number;
  readonly scrollY: number;
  readonly pageHeight: number;
}

/** The watch over one element. */
interface Stillness {
  /** Returns whether the element has been in sight at one place for `stillMs`. */
  isStill(): boolean;
  /** Returns whether a click or key counts. One that does not count starts the wait again. */
  accepts(): boolean;
  /** Starts the wait again. */
  restart(): void;
  end(): void;
}

const watched = new Set<Stillness>();

/**
 * Watches whether `element` stays in place, to tell clicks that were aimed at it from clicks that were aimed at something
 * else. The wait starts again when the element moves or is uncovered, and when the window comes to the front. Scrolling
 * by hand does not count: the owner sees what comes under the pointer. `onChange` hears each change.
 */
export function watchStillness(element: HTMLElement, onChange: (still: boolean) => void): Stillness {
  let spot = spotOf(element);
  let since = performance.now();
  let reported = false;
  const check = () => {
    const next = spotOf(element);
    const stays = isNear(spot, next);
    if (isCovered(element, next) || (!stays && !isScrolled(spot, next))) since = performance.now();
    // Compare with the first position, not the last one: many small steps are a move too.
    spot = stays ? { ...next, left: spot.left, top: spot.top } : next;
    const still = performance.now() - since >= stillMs;
    if (still !== reported) onChange(still);
    reported = still;
    return still;
  };
  const restart = () => {
    since = performance.now();
    check();
  };
  const timer = setInterval(check, checkMs);
  // At once: with a change of the page that follows, it would look like a move, or hide one.
  document.addEventListener('scroll', check, { capture: true, passive: true });
  window.addEventListener('focus', restart);
  document.addEventListener('visibilitychange', restart);
  const stillness: Stillness = {
    isStill: check,
    accepts() {
      if (check()) return true;
      restart();
      return false;
    },
    restart,
    end() {
      clearInterval(timer);
      document.removeEventListener('scroll', check, { capture: true });
      window.removeEventListener('focus', restart);
      document.removeEventListener('visibilitychange', restart);
      watched.delete(stillness);
    },
  };
  watched.add(stillness);
  return stillness;
}

/** Scrolls `element` into view. Buttons that come under the pointer this way count as moved. */
export function bringIntoView(element: HTMLElement, block: ScrollLogicalPosition): void {
  element.scrollIntoView({ block });
  for (const each of watched) each.restart();
}

/** Watches a button from the moment it appears. `still` is for its look; `accepts` decides whether a click counts. */
export function useStillness(): {
  ref: RefObject<HTMLButtonElement | null>;
  still: boolean;
  accepts: () => boolean;
} {
  const ref = useRef<HTMLButtonElement>(null);
  const watch = useRef<Stillness | null>(null);
  const [still, setStill] = useState(false);
  useEffect(() => {
    if (!ref.current) return;
    const begun = watchStillness(ref.current, setStill);
    watch.current = begun;
    return () => begun.end();
  }, []);
  return { ref, still, accepts: () => watch.current?.accepts() === true };
}

function spotOf(element: HTMLElement): Spot {
  const { left, top, width, height } = element.getBoundingClientRect();
  const { scrollX, scrollY } = window;
  return { left, top, width, height, scrollX, scrollY, pageHeight: document.documentElement.scrollHeight };
}

function isNear(a: Spot, b: Spot): boolean {
  return areNear([a.left, a.top, a.width, a.height], [b.left, b.top, b.width, b.height]);
}

/** Returns whether scrolling alone explains the move. A page that got shorter scrolls too, but not by hand. */
function isScrolled(a: Spot, b: Spot): boolean {
  if (b.pageHeight < a.pageHeight - slack) return false;
  return areNear(
    [a.left + a.scrollX, a.top + a.scrollY, a.width, a.height],
    [b.left + b.scrollX, b.top + b.scrollY, b.width, b.height],
  );
}

function areNear(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, index) => Math.abs(value - (b[index] ?? NaN)) <= slack);
}

/** Returns whether something, such as a message, lies over the middle or a corner of the element. */
function isCovered(element: HTMLElement, { left, top, width, height }: Spot): boolean {
  const inset = Math.min(slack * 2, width / 2, height / 2);
  const xs = [left + inset, left + width / 2, left + width - inset];
  const ys = [top + inset, top + height / 2, top + height - inset];
  return xs.some((x) =>
    ys.some((y) => {
      const over = document.elementFromPoint(x, y);
      return over !== null && !element.contains(over);
    }),
  );
}
