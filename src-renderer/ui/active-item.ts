import { useEffect, useRef, useState } from 'react';
import { stillMs } from './stillness.ts';

interface Options<T> {
  readonly list: HTMLElement | null;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
}

interface ActiveItem {
  /** The item that the Tab key reaches; -1 if the list is empty. */
  readonly active: number;
  /** Notes that an item has the focus. */
  readonly activate: (index: number) => void;
  /** Gives the focus to an item. */
  readonly move: (index: number) => void;
  /** Returns whether the focus moved to the item by itself less than a second ago: keys are meant for the one before. */
  readonly hasJustLanded: () => boolean;
}

/**
 * Tracks which item of a list the keyboard is at. The focus stays with its item while others come and go. If that item
 * disappears, the item that takes its place gets the focus.
 */
export function useActiveItem<T>({ list, items, keyOf }: Options<T>): ActiveItem {
  const [place, setPlace] = useState({ index: 0, key: '', requested: 0 });
  const active = activeIn(items, keyOf, place);
  const current = items[active];
  const key = current === undefined ? '' : keyOf(current);
  const focused = useRef(false);
  const landed = useRef(-Infinity);

  useEffect(() => {
    if (!list) return;
    const note = (event: FocusEvent) => {
      focused.current = event.target instanceof Node && list.contains(event.target);
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [list]);

  useEffect(() => {
    if (place.requested > 0) focusItem(list, place.index);
  }, [list, place.index, place.requested]);

  useEffect(() => {
    if (!focused.current || document.activeElement !== document.body) return;
    landed.current = performance.now();
    focusItem(list, active);
  }, [list, active, key]);

  const hasJustLanded = () => performance.now() - landed.current < stillMs;
  const put = (index: number, step: 0 | 1) => {
    const item = items[index];
    if (item === undefined) return;
    setPlace((before) => ({ index, key: keyOf(item), requested: before.requested + step }));
  };
  return { active, activate: (index) => put(index, 0), move: (index) => put(index, 1), hasJustLanded };
}

/** Returns the index that a key leads to; undefined for keys that do not move. */
export function targetOf(key: string, from: number, columns: number, count: number): number | undefined {
  const to = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      // From the last full row, down is the last item of the row that is not full.
      return Math.floor(from / columns) < Math.floor((count - 1) / columns) ? to(from + columns) : from;
    case 'ArrowUp':
    case 'k':
      return from >= columns ? from - columns : from;
    case 'ArrowRight':
      return columns > 1 ? to(from + 1) : undefined;
    case 'ArrowLeft':
      return columns > 1 ? to(from - 1) : undefined;
    case 'Home':
      return 0;
    case 'End':
      return to(count - 1);
    case 'PageDown':
      return to(from + 10 * columns);
    case 'PageUp':
      return to(from - 10 * columns);
    default:
      return undefined;
  }
}

function activeIn<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { index, key }: { index: number; key: string },
): number {
  const there = items[index];
  if (key === '' || (there !== undefined && keyOf(there) === key)) return Math.min(index, items.length - 1);
  const moved = items.findIndex((item) => keyOf(item) === key);
  return moved === -1 ? Math.min(index, items.length - 1) : moved;
}

function focusItem(list: HTMLElement | null, index: number): void {
  const item = list?.querySelector(`[data-item="${index}"]`);
  item?.querySelector<HTMLElement>('button, a[href]')?.focus({ preventScroll: true });
}
