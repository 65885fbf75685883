import { Modal, TextInput, VisuallyHidden } from '@mantine/core';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useGoals, type Goal } from './palette-goals.ts';
import styles from './palette.module.css';
import { IconSearch } from './ui/icons.ts';
import { useReturnFocus } from './ui/return-focus.ts';
import { paletteWords as words } from './words.ts';

/** A dialog that finds a screen, post, app or setting by its name, and goes there. */
export function Palette({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const groups = useGoals(query);
  const goals = groups.flatMap((group) => group.goals);
  const current = Math.min(at, goals.length - 1);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const open = (goal: Goal | undefined) => {
    if (goal === undefined) return;
    onClose();
    window.location.hash = goal.hash;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && goals.length > 0) setAt((current + step + goals.length) % goals.length);
    else if (event.key === 'Enter') open(goals[current]);
    else return;
    event.preventDefault();
  };

  return (
    <Modal
      opened
      onClose={onClose}
      yOffset="12vh"
      size={560}
      padding={0}
      withCloseButton={false}
      returnFocus={false}
      title={words.title}
      classNames={{ header: styles.header }}
    >
      <TextInput
        size="md"
        variant="unstyled"
        data-autofocus
        className={styles.field}
        role="combobox"
        aria-label={words.field}
        aria-expanded={goals.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={goals.length > 0 ? `${id}-${current}` : undefined}
        placeholder={words.placeholder}
        maxLength={200}
        value={query}
        leftSection={<IconSearch size={18} aria-hidden="true" />}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={words.results} className={styles.list}>
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <div className={styles.name} aria-hidden="true">
              {group.name}
            </div>
            {group.goals.map((goal) => {
              const index = goals.indexOf(goal);
              return (
                <Row
                  key={goal.hash}
                  id={`${id}-${index}`}
                  goal={goal}
                  isCurrent={index === current}
                  onPoint={() => setAt(index)}
                  onOpen={() => open(goal)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {goals.length === 0 && <p className={styles.none}>{words.none}</p>}
      <VisuallyHidden role="status">{query.trim() !== '' && words.count(goals.length)}</VisuallyHidden>
    </Modal>
  );
}

interface RowProps {
  readonly id: string;
  readonly goal: Goal;
  readonly isCurrent: boolean;
  readonly onPoint: () => void;
  readonly onOpen: () => void;
}

function Row({ id, goal, isCurrent, onPoint, onOpen }: RowProps): ReactElement {
  const { Icon, label, about, keys } = goal;
  return (
    // The field keeps the focus and hears the keys.
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={styles.row}
      onPointerMove={isCurrent ? undefined : onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
    >
      <Icon size={18} stroke={1.7} aria-hidden="true" />
      <span className={styles.label} dir="auto">
        {label}
      </span>
      {about !== undefined && <span className={styles.about}>{about}</span>}
      {keys !== undefined && <kbd className={styles.keys}>{keys}</kbd>}
    </div>
  );
}
