import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../../ui/icons.ts';
import { useRef, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { hasBridgyFed } from '../../../src-main/contract/posts.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import styles from './settings.module.css';
import { listWords } from './words.ts';

const words = {
  name: 'Name',
  nameOf: (one: string, row: number) => `Name of ${one} ${row}`,
  uidOf: (uid: string, one: string, row: number) => `${uid} of ${one} ${row}`,
  remove: (one: string, which: string | number) => `Remove ${one} ${which}`,
  addOffer: (name: string) => `Add ${name}`,
  nameMissing: 'Enter a name. Apps show it.',
  uidMissing: 'Enter an ID. Apps send it.',
  uidTaken: 'Another row already has this ID.',
};

/** A channel or a cross-posting target: `uid` is what apps send, `name` what people read (Micropub 3.7). */
export type NamedRow = Settings['micropub']['channels'][number];

/** Returns whether a target is Bridgy Fed, which has a part of the page of its own (see bridge.tsx). */
export const isBridge = (row: NamedRow): boolean => hasBridgyFed([row]);

/** The problems of a row, each for the field that it is about. */
interface RowProblem {
  readonly uid?: string;
  readonly name?: string;
}

/** Returns the rows as they are saved, without surrounding spaces. */
export function trimmed(rows: readonly NamedRow[]): NamedRow[] {
  return rows.map(({ uid, name }) => ({ uid: uid.trim(), name: name.trim() }));
}

/** Returns the problems of each row; an empty object for a row without any. */
function rowProblems(rows: readonly NamedRow[]): RowProblem[] {
  const uids = trimmed(rows).map(({ uid }) => uid);
  return trimmed(rows).map(({ uid, name }, index) => ({
    ...(name === '' && { name: words.nameMissing }),
    ...(uid === '' && { uid: words.uidMissing }),
    ...(uid !== '' && uids.indexOf(uid) < index && { uid: words.uidTaken }),
  }));
}

/** Returns the first problem of the rows; undefined if they can be saved. */
export function rowsProblem(rows: readonly NamedRow[]): string | undefined {
  return rowProblems(rows)
    .flatMap(({ uid, name }) => [name, uid])
    .find((problem) => problem !== undefined);
}

interface Props {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** The noun for one row, such as "channel". */
  readonly one: string;
  readonly uidLabel: string;
  readonly uidPlaceholder: string;
  readonly rows: readonly NamedRow[];
  /** Rows that the owner can add with one click. Each is offered until a row has its ID. */
  readonly offers?: readonly NamedRow[];
  readonly onChange: (rows: NamedRow[]) => void;
  /** True once the owner has tried to save: then problems are shown. */
  readonly judged: boolean;
}

/** Edits a list of names with IDs, one per row. */
export function NamedRows({
  id,
  label,
  description,
  one,
  onChange,
  rows,
  offers = [],
  ...props
}: Props): ReactElement {
  const fields = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const problems = props.judged ? rowProblems(rows) : [];
  const replace = (index: number, changes: Partial<NamedRow>) =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...changes } : row)));
  const add = () => {
    // The owner continues typing in the new row, so it is rendered before the next key.
    flushSync(() => onChange([...rows, { uid: '', name: '' }]));
    const inputs = fields.current?.querySelectorAll<HTMLInputElement>('[data-first]');
    inputs?.[inputs.length - 1]?.focus();
  };
  const accept = ({ uid, name }: NamedRow) => {
    onChange([...rows, { uid, name }]);
    addButton.current?.focus();
  };
  const remove = (index: number) => {
    onChange(rows.filter((_, place) => place !== index));
    addButton.current?.focus();
  };

  return (
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      <Stack gap="xs" mt={6} ref={fields}>
        {rows.length > 0 && (
          <div className={styles.head} aria-hidden="true">
            <Text size="xs">{words.name}</Text>
            <Text size="xs">{props.uidLabel}</Text>
          </div>
        )}
        {rows.map((row, index) => (
          <div key={index} className={styles.row}>
            <TextInput
              aria-label={words.nameOf(one, index + 1)}
              data-first=""
              value={row.name}
              maxLength={200}
              error={problems[index]?.name}
              onChange={(event) => replace(index, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={words.uidOf(props.uidLabel, one, index + 1)}
              placeholder={props.uidPlaceholder}
              value={row.uid}
              maxLength={2048}
              error={problems[index]?.uid}
              onChange={(event) => replace(index, { uid: event.currentTarget.value })}
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={words.remove(one, row.name.trim() || index + 1)}
              onClick={() => remove(index)}
            >
              <IconTrash size={16} aria-hidden="true" />
            </ActionIcon>
          </div>
        ))}
        <Group gap="xs">
          <Button
            ref={addButton}
            variant="default"
            size="xs"
            disabled={rows.length >= 100}
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            onClick={add}
          >
            {listWords.add(one)}
          </Button>
          {offers
            .filter(({ uid }) => !rows.some((row) => row.uid.trim() === uid))
            .map((offer) => (
              <Button
                key={offer.uid}
                variant="default"
                size="xs"
                disabled={rows.length >= 100}
                leftSection={<IconPlus size={14} aria-hidden="true" />}
                onClick={() => accept(offer)}
              >
                {words.addOffer(offer.name)}
              </Button>
            ))}
        </Group>
      </Stack>
    </div>
  );
}
