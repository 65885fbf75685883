import { ActionIcon, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '../ui/icons.ts';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { leftOut } from './find-text.ts';
import { useFind } from './use-find.ts';
import { findWords } from './words.ts';
import styles from './desktop.module.css';

interface Props {
  /** Counts how often the owner asked for the bar: each time, the field gets the focus. */
  readonly asked: number;
  readonly onClose: () => void;
}

// A dialog would close at Escape together with the bar.
const own = { 'data-mantine-stop-propagation': 'true' };

/**
 * Finds text on the screen, as a browser does. Enter moves to the next match, Shift+Enter to the previous one, and
 * Escape closes the bar.
 */
export function FindBar({ asked, onClose }: Props): ReactElement {
  const [words, setWords] = useState('');
  const [before] = useState(() => document.activeElement);
  const field = useRef<HTMLInputElement>(null);
  const { count, current, move } = useFind(words);

  useEffect(() => field.current?.select(), [asked]);

  const close = () => {
    onClose();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && event.target === field.current) move(event.shiftKey ? -1 : 1);
  };

  return (
    <div role="search" aria-label={findWords.name} className={styles.bar} onKeyDown={onKeyDown} {...leftOut}>
      <TextInput
        ref={field}
        size="xs"
        flex={1}
        miw={0}
        aria-label={findWords.field}
        placeholder={findWords.field}
        maxLength={200}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        {...own}
      />
      <span role="status" className={styles.count}>
        {words.trim() === '' ? '' : findWords.count(current, count)}
      </span>
      <Tool label={findWords.previous} disabled={count === 0} Icon={IconChevronUp} onClick={() => move(-1)} />
      <Tool label={findWords.next} disabled={count === 0} Icon={IconChevronDown} onClick={() => move(1)} />
      <Tool label={findWords.close} Icon={IconX} onClick={close} />
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly Icon: typeof IconX;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function Tool({ label, Icon, disabled = false, onClick }: ToolProps): ReactElement {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
      {...own}
    >
      <Icon size={16} aria-hidden="true" />
    </ActionIcon>
  );
}
