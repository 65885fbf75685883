import { Button, Drawer, Text, Title } from '@mantine/core';
import { IconX } from './icons.ts';
import { useEffect, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import shared from './shared.module.css';
import { focusVirtualList } from './virtual-list.tsx';
import styles from './beside.module.css';
import { commonWords } from './words.ts';

interface Props {
  /** The kind of item, such as "Your post". */
  readonly title: string;
  /** True if the window has room beside the list; otherwise the item opens over it. */
  readonly beside: boolean;
  /** The list that the item came from. It gets the focus back when the item closes. */
  readonly listLabel: string;
  readonly onClose: () => void;
  /** Hears every key that is pressed inside, except Escape, which closes the item. */
  readonly onKey?: (event: KeyboardEvent) => void;
  readonly children: ReactNode;
}

/** Shows an opened item of a list. */
export function Beside({ title, beside, listLabel, onClose, onKey, children }: Props): ReactElement {
  useEffect(() => () => focusVirtualList(listLabel), [listLabel]);
  if (!beside) {
    return (
      // The drawer handles Escape itself. This element hears the other keys, also those on the close button.
      <div onKeyDown={(event) => event.key !== 'Escape' && onKey?.(event)}>
        <Drawer
          opened
          position="right"
          size="min(460px, 92vw)"
          title={title}
          returnFocus={false}
          closeButtonProps={{ 'aria-label': commonWords.close }}
          onClose={onClose}
        >
          {children}
        </Drawer>
      </div>
    );
  }
  return (
    <aside
      className={`${shared.card} ${styles.beside}`}
      aria-label={title}
      onKeyDown={(event) => (event.key === 'Escape' ? onClose() : onKey?.(event))}
    >
      <div className={styles.top}>
        <Text size="sm" c="dimmed" aria-hidden="true">
          {title}
        </Text>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconX size={14} aria-hidden="true" />}
          onClick={onClose}
        >
          {commonWords.close}
        </Button>
      </div>
      {children}
    </aside>
  );
}

/** Lays out a list and its opened item: side by side if `open`. */
export function BesideList({ open, children }: { open: boolean; children: ReactNode }): ReactElement {
  return <div className={open ? styles.sideBySide : undefined}>{children}</div>;
}

/** The heading of an opened item. It takes the focus, so that keyboard and screen reader start here. */
export function OpenedHeading({ children }: { children: ReactNode }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Title order={2} ref={heading} tabIndex={-1} className={styles.heading}>
      {children}
    </Title>
  );
}
