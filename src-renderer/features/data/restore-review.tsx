import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { CheckedBackup, RestoreChange } from '../../../src-main/contract/data.ts';
import { useAction } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { exactTime } from '../../ui/time.ts';
import { wordsOf } from './change-words.ts';
import { restoreConfirmWords as confirmWords, restoreReviewWords as words } from './restore-words.ts';

interface Props {
  readonly checked: CheckedBackup;
  /** True if nobody has set up this computer yet. Then one button takes all changes. */
  readonly isNewHere: boolean;
}

/** Shows whose data a backup contains and what it would change, and restores it once the owner confirms. */
export function RestoreReview({ checked, isNewHere }: Props): ReactElement {
  const [accept, setAccept] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState(false);
  const cancel = useAction('data.cancel');
  const apply = useAction('data.applyRestore');
  const { me, madeAt, counts, changes } = checked;
  const mark = (setting: string, on: boolean) =>
    setAccept((before) => new Set([...before].filter((one) => one !== setting).concat(on ? [setting] : [])));

  return (
    <>
      <Section title={words.backup}>
        <Text>
          {me === null ? words.noOwner : <Foreign text={me} />}
          {words.madeAt(exactTime(madeAt))}
        </Text>
        <Text>{words.contents(counts)}</Text>
        {checked.problems.map((problem) => (
          <Text key={problem} size="sm">
            {words.problem} <Foreign text={problem} />
          </Text>
        ))}
      </Section>
      <Section title={words.changes} about={aboutChanges(changes.length)}>
        {isNewHere && changes.length > 1 && (
          <div>
            <Button
              variant="default"
              onClick={() => setAccept(new Set(changes.map(({ setting }) => setting)))}
            >
              {words.takeAll(changes.length)}
            </Button>
          </div>
        )}
        <Stack gap="md">
          {changes.map((change) => (
            <ChangeRow
              key={change.setting}
              change={change}
              isAccepted={accept.has(change.setting)}
              onChange={(on) => mark(change.setting, on)}
            />
          ))}
        </Stack>
      </Section>
      <ErrorNote error={cancel.error} doing={words.notCancelled} />
      <Group>
        <Button color="amber.5" onClick={() => setAsking(true)}>
          {words.action}
        </Button>
        <Button
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ what: 'waiting' })}
        >
          {words.cancel}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={confirmWords.title}
          action={confirmWords.action}
          busy={apply.isPending}
          error={apply.error}
          onConfirm={() => apply.mutate({ accept: [...accept] }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          {confirmWords.what} {takenWords(changes, accept)}
        </Confirm>
      )}
    </>
  );
}

function aboutChanges(count: number): string {
  return count === 0 ? words.noChanges : words.aboutChanges;
}

function takenWords(changes: readonly RestoreChange[], accept: ReadonlySet<string>): string {
  const taken = changes.filter(({ setting }) => accept.has(setting)).map((change) => wordsOf(change).label);
  if (changes.length === 0) return '';
  if (taken.length === 0) return confirmWords.noneTaken;
  return confirmWords.taken(taken);
}

interface RowProps {
  readonly change: RestoreChange;
  readonly isAccepted: boolean;
  readonly onChange: (isAccepted: boolean) => void;
}

function ChangeRow({ change, isAccepted, onChange }: RowProps): ReactElement {
  const { label, about, value } = wordsOf(change);
  return (
    <Checkbox
      checked={isAccepted}
      onChange={(event) => onChange(event.currentTarget.checked)}
      label={label}
      description={
        <>
          {words.here} <Foreign text={value(change.here)} />. {words.there}{' '}
          <Foreign text={value(change.there)} />.
          {about !== undefined && (
            <>
              <br />
              {about}
            </>
          )}
        </>
      }
    />
  );
}
