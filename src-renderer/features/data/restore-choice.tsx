import { Button, PasswordInput, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useAction } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { PathField } from './path-field.tsx';
import { restoreChoiceWords as words } from './restore-words.ts';

/** Asks which backup to restore and checks it. Checking restores nothing. */
export function RestoreChoice({ busy }: { busy: boolean }): ReactElement {
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const check = useAction('data.restore');
  const isCancelled = check.error instanceof PorchlightError && check.error.code === 'cancelled';
  return (
    <Form
      gap="sm"
      ready={path !== '' && !busy && !check.isPending}
      onSubmit={() => check.mutate({ path, ...(passphrase !== '' && { passphrase }) })}
    >
      <PathField
        label={words.file}
        description={words.aboutFile}
        purpose="openBackup"
        value={path}
        onChange={setPath}
      />
      <PasswordInput
        label={words.passphrase}
        description={words.aboutPassphrase}
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {words.about}
      </Text>
      <ErrorNote error={isCancelled ? null : check.error} doing={words.failed} />
      <div>
        <Button type="submit" color="amber.5" disabled={path === '' || busy} loading={check.isPending}>
          {words.action}
        </Button>
      </div>
    </Form>
  );
}
