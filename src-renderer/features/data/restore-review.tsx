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

interface Props {
  readonly checked: CheckedBackup;
  /** True where nobody has set up this computer yet: all of it may be taken at once. */
  readonly isNewHere: boolean;
}

/** Shows whose data a backup holds and what it would change, and restores it once the owner confirms. */
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
      <Section title="This backup">
        <Text>
          {me === null ? 'It names no owner' : <Foreign text={me} />}, made on {exactTime(madeAt)}.
        </Text>
        <Text>
          {counts.posts} posts, {counts.files} files, {counts.mentions} mentions,{' '}
          {(counts.bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB.
        </Text>
        {checked.problems.map((problem) => (
          <Text key={problem} size="sm">
            Problem in this backup: <Foreign text={problem} />
          </Text>
        ))}
      </Section>
      <Section title="What would change" about={aboutChanges(changes.length)}>
        {isNewHere && changes.length > 1 && (
          <div>
            <Button
              variant="default"
              onClick={() => setAccept(new Set(changes.map(({ setting }) => setting)))}
            >
              Take all {changes.length} from the backup
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
      <ErrorNote error={cancel.error} doing="The restore was not cancelled." />
      <Group>
        <Button color="amber.5" onClick={() => setAsking(true)}>
          Restore this backup…
        </Button>
        <Button
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ what: 'waiting' })}
        >
          Cancel restore
        </Button>
      </Group>
      {asking && (
        <Confirm
          title="Restore this backup?"
          action="Restore"
          busy={apply.isPending}
          error={apply.error}
          onConfirm={() => apply.mutate({ accept: [...accept] }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          When Porchlight restarts, the posts, files and mentions of this backup replace those on this
          computer. Your data from before is kept in a folder beside it. {confirmWords(changes, accept)}
        </Confirm>
      )}
    </>
  );
}

function aboutChanges(count: number): string {
  if (count === 0) return 'Nothing that affects whom you trust, how the web reaches you, or your privacy.';
  return 'These affect whom you trust, how the web reaches you, or your privacy. Each stays as it is here unless you tick it.';
}

function confirmWords(changes: readonly RestoreChange[], accept: ReadonlySet<string>): string {
  const taken = changes.filter(({ setting }) => accept.has(setting)).map((change) => wordsOf(change).label);
  if (changes.length === 0) return '';
  if (taken.length === 0) return 'All settings in the list stay as they are here.';
  return `From the backup you also take: ${taken.join('; ')}.`;
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
          Here: <Foreign text={value(change.here)} />. In the backup: <Foreign text={value(change.there)} />.
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
