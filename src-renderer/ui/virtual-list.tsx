import {
  defaultRangeExtractor,
  measureElement,
  useWindowVirtualizer,
  type Range,
} from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { targetOf, useActiveItem } from './active-item.ts';
import styles from './virtual-list.module.css';

interface Props<T> {
  /** The list's name, for screen readers. */
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The height of a row in pixels; an estimate if `measured`. */
  readonly rowHeight: number;
  /** True if rows are as tall as their content. */
  readonly measured?: boolean;
  /** Items in a row, side by side. */
  readonly columns?: number;
  /** True if `onMore` would load more items. */
  readonly hasMore?: boolean;
  /** Called near the end of the list, and possibly again before more items have loaded. */
  readonly onMore?: () => void;
  /**
   * Called for a key on an item that the list itself does not handle. Ignores keys that are held down, and keys pressed
   * just after the focus moved here because another item disappeared: they were meant for that item.
   */
  readonly onItemKey?: (item: T, event: KeyboardEvent) => void;
  /**
   * Draws an item. Its first button or link gets the focus and needs the `tabIndex` given here: the list is one stop
   * of the Tab key, and the arrows (or j and k) move between its items.
   */
  readonly children: (item: T, tabIndex: 0 | -1) => ReactNode;
}

/** How many rows before the end the next page is loaded. */
const nearEnd = 20;

/** Shows a list of any length that scrolls with the window. The document holds only the rows near the visible part. */
export function VirtualList<T>({
  label,
  items,
  keyOf,
  rowHeight,
  measured = false,
  columns = 1,
  hasMore = false,
  onMore,
  onItemKey,
  children,
}: Props<T>): ReactElement {
  const [list, setList] = useState<HTMLElement | null>(null);
  const top = useTop(list);
  const { active, activate, move, hasJustLanded } = useActiveItem({ list, items, keyOf });
  const activeRow = Math.floor(active / columns);
  const rows = Math.ceil(items.length / columns);

  // React's compiler couldn't memoize what this returns. Porchlight doesn't use that compiler.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useWindowVirtualizer<HTMLElement>({
    count: rows,
    estimateSize: () => rowHeight,
    // A row without a layout keeps its estimate: rows of no height would all be at the top.
    measureElement: (...row) => measureElement(...row) || rowHeight,
    // Rows, and the item that the Tab key reaches, keep their places when new items arrive above.
    getItemKey: (row) => {
      const first = items[row * columns];
      return first === undefined ? row : keyOf(first);
    },
    overscan: 8,
    scrollMargin: top,
    scrollPaddingEnd: rowHeight,
    scrollPaddingStart: rowHeight,
    // The focused row stays in the document, however far away the list is scrolled.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), activeRow, range),
  });
  const shown = virtual.getVirtualItems();
  // The visible part or the focused row, whichever is further down.
  const last = Math.max(virtual.range?.endIndex ?? -1, activeRow);

  useEffect(() => {
    if (hasMore && last >= rows - nearEnd) onMore?.();
  }, [hasMore, last, rows, onMore]);

  const onKeyDown = (event: KeyboardEvent) => {
    const item = items[active];
    if (item === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetOf(event.key, active, columns, items.length);
    if (target === undefined) {
      const isMeant = event.key === 'Escape' || (!event.repeat && !hasJustLanded());
      if (isMeant) onItemKey?.(item, event);
      return;
    }
    event.preventDefault();
    virtual.scrollToIndex(Math.floor(target / columns), { align: 'auto' });
    move(target);
  };

  return (
    <div
      ref={setList}
      role="list"
      aria-label={label}
      className={styles.list}
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {shown.map((row) => (
        <div
          key={row.key}
          role="presentation"
          data-index={row.index}
          ref={measured ? virtual.measureElement : undefined}
          className={styles.row}
          style={{
            transform: `translateY(${row.start - top}px)`,
            ...(!measured && { height: rowHeight }),
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {items.slice(row.index * columns, (row.index + 1) * columns).map((item, column) => {
            const index = row.index * columns + column;
            return (
              <div
                key={keyOf(item)}
                role="listitem"
                data-item={index}
                aria-posinset={index + 1}
                // -1: the total is unknown until the last page has loaded.
                aria-setsize={hasMore ? -1 : items.length}
                className={styles.item}
                onFocus={() => activate(index)}
              >
                {children(item, index === active ? 0 : -1)}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function withRow(rows: number[], row: number, { count }: Range): number[] {
  if (row < 0 || row >= count || rows.includes(row)) return rows;
  return [...rows, row].sort((a, b) => a - b);
}

/** Returns the pixels from the top of the page to the list, also when the content above it changes height. */
function useTop(list: HTMLElement | null): number {
  const [top, setTop] = useState(0);
  const measure = useCallback(
    () => list && setTop(Math.round(list.getBoundingClientRect().top + window.scrollY)),
    [list],
  );
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    if (list?.parentElement) observer.observe(list.parentElement);
    for (const above of list?.parentElement?.children ?? []) if (above !== list) observer.observe(above);
    return () => observer.disconnect();
  }, [list, measure]);
  return top;
}

/** Moves the focus to the active item of the list with this label. */
export function focusVirtualList(label: string): void {
  const list = document.querySelector(`[role="list"][aria-label="${label}"]`);
  list?.querySelector<HTMLElement>('button[tabindex="0"], a[tabindex="0"]')?.focus({ preventScroll: true });
}
