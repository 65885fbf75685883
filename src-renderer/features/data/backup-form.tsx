import { Button, Checkbox, PasswordInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { PathField } from './path-field.tsx';
import { Outcome, showOutcome } from './under-way.tsx';
import { backupWords } from './words.ts';

/** The id of the field where a backup begins. */
export const backupPathId = 'backup-path';

interface Props {
  readonly progress: Result<'data.folder'>['progress'];
  readonly busy: boolean;
  readonly withSecrets: boolean;
  readonly onWithSecrets: (withSecrets: boolean) => void;
}

/** Asks where a backup goes, and for a passphrase if secrets are included. */
export function BackupForm({ progress, busy, withSecrets, onWithSecrets }: Props): ReactElement {
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const backup = useAction('data.backup');
  useUnfinished([path, passphrase, again].some((text) => text !== ''));
  const sound = path !== '' && (!withSecrets || (passphrase.length >= 10 && passphrase === again));
  const submit = () =>
    backup.mutate({ path, ...(withSecrets && { passphrase }) }, { onSuccess: () => showOutcome('backup') });
  return (
    <Form gap="sm" ready={sound && !busy && !backup.isPending} onSubmit={submit}>
      <PathField
        id={backupPathId}
        label={backupWords.path}
        purpose="saveBackup"
        suggestion={backupWords.suggestion}
        value={path}
        onChange={setPath}
      />
      <Checkbox
        label={backupWords.withSecrets}
        description={backupWords.aboutSecrets}
        checked={withSecrets}
        onChange={(event) => onWithSecrets(event.currentTarget.checked)}
      />
      {withSecrets && (
        <>
          <PasswordInput
            label={backupWords.passphrase}
            description={backupWords.aboutPassphrase}
            autoComplete="new-password"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <PasswordInput
            label={backupWords.again}
            autoComplete="new-password"
            value={again}
            error={again !== '' && again !== passphrase && backupWords.differs}
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
        </>
      )}
      <ErrorNote error={backup.error} doing={backupWords.failed} />
      <div>
        <Button type="submit" color="amber.5" disabled={!sound || busy} loading={backup.isPending}>
          {backupWords.action}
        </Button>
      </div>
      <Outcome tasks={['backup', 'weekly']} progress={progress} isExplained={backup.error !== null} />
      {backup.data?.problems.map((problem) => (
        <Text key={problem} size="sm">
          {backupWords.problem} <Foreign text={problem} />
        </Text>
      ))}
    </Form>
  );
}
