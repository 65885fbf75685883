import { Button, Checkbox, PasswordInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { DataForm, showOutcome } from './data-form.tsx';
import { PathField } from './path-field.tsx';

/** One copy of everything, now; with the secrets where the owner gives a passphrase. */
export function BackupForm({ busy }: { busy: boolean }): ReactElement {
  const [path, setPath] = useState('');
  const [withSecrets, setWithSecrets] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const backup = useAction('data.backup');
  const sound = path !== '' && (!withSecrets || (passphrase.length >= 10 && passphrase === again));
  const ready = sound && !busy && !backup.isPending;
  return (
    <DataForm
      ready={ready}
      onSubmit={() => backup.mutate({ path, ...(withSecrets && { passphrase }) }, { onSuccess: showOutcome })}
    >
      <PathField
        label="Where the backup goes"
        purpose="saveBackup"
        suggestion="porchlight-backup.zip"
        value={path}
        onChange={setPath}
      />
      <Checkbox
        label="With the secrets, under a passphrase"
        description="Then apps stay signed in on a new computer too. Without them, they sign in again there."
        checked={withSecrets}
        onChange={(event) => setWithSecrets(event.currentTarget.checked)}
      />
      {withSecrets && (
        <>
          <PasswordInput
            label="Passphrase"
            description="At least 10 characters. Nobody can open the secrets without it, and it can’t be recovered."
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <PasswordInput
            label="The passphrase again"
            value={again}
            error={again !== '' && again !== passphrase && 'These two are not the same.'}
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
        </>
      )}
      <ErrorNote error={backup.error} doing="No backup was made." />
      <div>
        <Button type="submit" color="amber.5" disabled={!sound || busy} loading={backup.isPending}>
          Back up now
        </Button>
      </div>
      {backup.data?.problems.map((problem) => (
        <Text key={problem} size="sm">
          In your data: {problem}
        </Text>
      ))}
    </DataForm>
  );
}
