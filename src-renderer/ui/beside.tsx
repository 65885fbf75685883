import { Button, Drawer, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEffect, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import look from './look.module.css';
import { focusVirtualList } from './virtual-list.tsx';
import styles from './beside.module.css';

interface Props {
  /** What it is: "Your post". */
  readonly title: string;
  /** True where there is room beside the list; else it comes over it. */
  readonly beside: boolean;
  /** The list that it was opened from: the keyboard goes on there when it closes. */
  readonly listLabel: string;
  readonly onClose: () => void;
  /** Keys pressed inside, but Escape, which closes. */
  readonly onKey?: (event: KeyboardEvent) => void;
  readonly children: ReactNode;
}

/** One thing of a list, opened. */
export function Beside({ title, beside, listLabel, onClose, onKey, children }: Props): ReactElement {
  useEffect(() => () => focusVirtualList(listLabel), [listLabel]);
  if (!beside) {
    return (
      // Around it, as its own close button may have the focus; Escape it hears itself.
      <div onKeyDown={(event) => event.key !== 'Escape' && onKey?.(event)}>
        <Drawer
          opened
          position="right"
          size="min(460px, 92vw)"
          title={title}
          returnFocus={false}
          closeButtonProps={{ 'aria-label': 'Close' }}
          onClose={onClose}
        >
          {children}
        </Drawer>
      </div>
    );
  }
  return (
    <aside
      className={`${look.card} ${styles.beside}`}
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
          Close
        </Button>
      </div>
      {children}
    </aside>
  );
}

/** The list, and what was opened of it: side by side where `open`. */
export function BesideList({ open, children }: { open: boolean; children: ReactNode }): ReactElement {
  return <div className={open ? styles.sideBySide : undefined}>{children}</div>;
}

/** What the opened thing is called. The keyboard and the screen reader begin here. */
export function OpenedHeading({ children }: { children: ReactNode }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Title order={2} ref={heading} tabIndex={-1} className={styles.heading}>
      {children}
    </Title>
  );
}
