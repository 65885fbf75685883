import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { CheckedBackup, RestoreChange } from '../../../src-main/contract/data.ts';
import { accessChanges } from '../../../src-main/contract/restore-settings.ts';
import { useAction } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { exactTime } from '../../ui/time.ts';
import { Card } from './card.tsx';
import { wordsOf } from './change-words.ts';
import {
  ownBackupWords as ownWords,
  restoreConfirmWords as confirmWords,
  restoreReviewWords as words,
} from './restore-words.ts';

interface Props {
  readonly checked: CheckedBackup;
  /** True if nobody has set up this computer yet. Then one answer takes all changes that give nobody access. */
  readonly isNewHere: boolean;
}

/** Shows whose data a backup contains and what it would change, and restores it once the owner confirms. */
export function RestoreReview({ checked, isNewHere }: Props): ReactElement {
  const [accept, setAccept] = useState<ReadonlySet<string>>(new Set());
  /** The owner's answer to whose backup this is; null until they answer, or if they aren't asked. */
  const [isOwn, setIsOwn] = useState<boolean | null>(null);
  const [asking, setAsking] = useState(false);
  const cancel = useAction('data.cancel');
  const apply = useAction('data.applyRestore');
  const { me, madeAt, counts, changes } = checked;
  const asksWhose = isNewHere && changes.length > 0;
  const access = changes.filter(({ setting }) => accessChanges.has(setting));
  const answer = (own: boolean) => {
    setIsOwn(own);
    const taken = own ? changes.filter(({ setting }) => !accessChanges.has(setting)) : [];
    setAccept(new Set(taken.map(({ setting }) => setting)));
  };
  const mark = (setting: string, on: boolean) =>
    setAccept((before) => new Set([...before].filter((one) => one !== setting).concat(on ? [setting] : [])));

  return (
    <>
      <Card title={words.backup}>
        <div>
          <Text>
            {me === null ? words.noOwner : <Foreign text={me} />}
            {words.madeAt(exactTime(madeAt))}
          </Text>
          <Text>{words.contents(counts)}</Text>
        </div>
        {checked.problems.map((problem) => (
          <Text key={problem} size="sm">
            {words.problem} <Foreign text={problem} />
          </Text>
        ))}
      </Card>
      {asksWhose && <OwnBackup isOwn={isOwn} onAnswer={answer} />}
      {isOwn === true && access.length > 0 && (
        <Card title={ownWords.access} about={ownWords.aboutAccess}>
          <ChangeList changes={access} accept={accept} onChange={mark} />
        </Card>
      )}
      {(!asksWhose || isOwn === false) && (
        <Card title={words.changes} {...(changes.length > 0 && { about: words.aboutChanges })}>
          {changes.length === 0 ? (
            <Text>{words.noChanges}</Text>
          ) : (
            <ChangeList changes={changes} accept={accept} onChange={mark} />
          )}
        </Card>
      )}
      <ErrorNote error={cancel.error} doing={words.notCancelled} />
      <Group>
        <Button color="amber.5" disabled={asksWhose && isOwn === null} onClick={() => setAsking(true)}>
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
          {confirmWords.what} {isOwn === true ? allButWords(changes, accept) : takenWords(changes, accept)}
        </Confirm>
      )}
    </>
  );
}

function takenWords(changes: readonly RestoreChange[], accept: ReadonlySet<string>): string {
  const taken = changes.filter(({ setting }) => accept.has(setting)).map((change) => wordsOf(change).label);
  if (changes.length === 0) return '';
  if (taken.length === 0) return confirmWords.noneTaken;
  return confirmWords.taken(taken);
}

function allButWords(changes: readonly RestoreChange[], accept: ReadonlySet<string>): string {
  const left = changes.filter(({ setting }) => !accept.has(setting)).map((change) => wordsOf(change).label);
  return left.length === 0 ? confirmWords.allTaken : confirmWords.allTakenExcept(left);
}

interface OwnProps {
  /** The owner's answer; null until they answer. */
  readonly isOwn: boolean | null;
  readonly onAnswer: (isOwn: boolean) => void;
}

/** Asks whether a backup is the owner's own, where nobody has set up this computer yet. Neither answer is proposed. */
function OwnBackup({ isOwn, onAnswer }: OwnProps): ReactElement {
  return (
    <Radio.Group
      className={shared.card}
      label={ownWords.question}
      value={isOwn === null ? null : isOwn ? 'yes' : 'no'}
      onChange={(answer) => onAnswer(answer === 'yes')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="yes" label={ownWords.yes} description={ownWords.yesAbout} />
        <Radio value="no" label={ownWords.no} description={ownWords.noAbout} />
      </Stack>
    </Radio.Group>
  );
}

interface ChangesProps {
  readonly changes: readonly RestoreChange[];
  /** The names of the settings that are taken from the backup. */
  readonly accept: ReadonlySet<string>;
  readonly onChange: (setting: string, isAccepted: boolean) => void;
}

/** Lists the changes that a restore would make, with both values and a box to tick for each. */
function ChangeList({ changes, accept, onChange }: ChangesProps): ReactElement {
  return (
    <Stack gap="md">
      {changes.map((change) => {
        const { label, about, value } = wordsOf(change);
        return (
          <Checkbox
            key={change.setting}
            checked={accept.has(change.setting)}
            onChange={(event) => onChange(change.setting, event.currentTarget.checked)}
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
      })}
    </Stack>
  );
}
