import { ActionIcon, Button, Group, Input, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../ui/icons.ts';
import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import styles from './site.module.css';
import { listWords } from './words.ts';

interface Props<T> {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** The noun for one item, such as "link". */
  readonly one: string;
  readonly items: readonly T[];
  readonly most: number;
  readonly empty: T;
  /** Returns the name of an item for its buttons; empty if it has none yet. */
  readonly nameOf: (item: T) => string;
  readonly onChange: (items: T[]) => void;
  readonly children: (item: T, index: number, replace: (changes: Partial<T>) => void) => ReactNode;
}

/** A list whose items the owner adds, edits, moves and deletes. */
export function OrderedList<T>(props: Props<T>): ReactElement {
  const { id, label, description, one, items, most, empty, nameOf, onChange, children } = props;
  const list = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [announced, setAnnounced] = useState('');
  const nameAt = (index: number) => {
    const item = items[index];
    const name = item === undefined ? '' : nameOf(item).trim();
    return name === '' ? `${one} ${index + 1}` : name;
  };
  /** Renders the changed list at once, so that the next key goes to its row `index`. */
  const change = (
    changed: T[],
    index: number,
    find: (row: Element | undefined) => HTMLElement | null | undefined,
  ) => {
    flushSync(() => onChange(changed));
    find(list.current?.children[index])?.focus();
  };

  const add = () => change([...items, empty], items.length, (row) => row?.querySelector('input'));
  const move = (index: number, step: 1 | -1) => {
    const next = [...items];
    next.splice(index + step, 0, ...next.splice(index, 1));
    setAnnounced(listWords.moved(nameAt(index), index + step + 1, items.length));
    const selector = `[data-move="${step}"]:not(:disabled)`;
    change(
      next,
      index + step,
      (row) => row?.querySelector<HTMLElement>(selector) ?? row?.querySelector('[data-move]:not(:disabled)'),
    );
  };
  const remove = (index: number) => {
    onChange(items.filter((_, place) => place !== index));
    setAnnounced(listWords.removed(nameAt(index)));
    addButton.current?.focus();
  };

  return (
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      <Stack gap="xs" mt={6}>
        <ol ref={list} className={styles.list}>
          {items.map((item, index) => (
            <li key={index} className={styles.item}>
              <div className={styles.fields}>
                {children(item, index, (changes) =>
                  onChange(items.map((other, place) => (place === index ? { ...other, ...changes } : other))),
                )}
              </div>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="default"
                  size={36}
                  data-move={-1}
                  disabled={index === 0}
                  aria-label={listWords.up(nameAt(index))}
                  onClick={() => move(index, -1)}
                >
                  <IconArrowUp size={16} aria-hidden="true" />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  size={36}
                  data-move={1}
                  disabled={index === items.length - 1}
                  aria-label={listWords.down(nameAt(index))}
                  onClick={() => move(index, 1)}
                >
                  <IconArrowDown size={16} aria-hidden="true" />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  size={36}
                  aria-label={listWords.remove(nameAt(index))}
                  onClick={() => remove(index)}
                >
                  <IconTrash size={16} aria-hidden="true" />
                </ActionIcon>
              </Group>
            </li>
          ))}
        </ol>
        <Group>
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            disabled={items.length >= most}
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            onClick={add}
          >
            {listWords.add(one)}
          </Button>
          <Text role="status" size="sm" c="dimmed">
            {announced}
          </Text>
        </Group>
      </Stack>
    </div>
  );
}
