import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { IssuedToken } from '../../../src-main/contract/apps.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { LifetimeChoice } from '../../ui/lifetime-choice.tsx';
import { Until } from '../../ui/moment.tsx';
import { ScopeChoice } from '../../ui/scope-choice.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';

/** Makes a token by hand, and shows it this once. */
export function TokenDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  return (
    <Modal
      opened
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
      title={issued ? 'Your new token' : 'Make a token by hand'}
      onClose={onClose}
      closeOnClickOutside={false}
      // A token that is lost to a stray key can't be shown again.
      closeOnEscape={issued === null}
      withCloseButton={issued === null}
    >
      {issued ? <ShownToken issued={issued} onClose={onClose} /> : <TokenForm onIssued={setIssued} />}
    </Modal>
  );
}

function TokenForm({ onIssued }: { onIssued: (issued: IssuedToken) => void }): ReactElement {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [expiresIn, setExpiresIn] = useState<number | null>(null);
  const [missing, setMissing] = useState<{ label?: string; scopes?: string }>({});
  const permissions = useAnswer('apps.permissions', {});
  const issue = useAction('apps.issueToken');

  const submit = () => {
    const lacks = {
      ...(label.trim() === '' && { label: 'Give it a name, so that you know it later.' }),
      ...(scopes.length === 0 && { scopes: 'Choose at least one thing that it may do.' }),
    };
    setMissing(lacks);
    if (Object.keys(lacks).length > 0) return;
    const params = { label: label.trim(), scopes };
    issue.mutate(expiresIn === null ? params : { ...params, expiresIn }, { onSuccess: onIssued });
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label="What is it for?"
          placeholder="Backup script"
          value={label}
          maxLength={100}
          error={missing.label}
          data-autofocus
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Loaded query={permissions} what="what it can be given">
          {(known) => <ScopeChoice permissions={known} chosen={scopes} onChange={setScopes} />}
        </Loaded>
        {missing.scopes !== undefined && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {missing.scopes}
          </Text>
        )}
        <LifetimeChoice
          label="It works"
          endless="Until I revoke it"
          seconds={expiresIn}
          onChange={setExpiresIn}
        />
        <ErrorNote error={issue.error} doing="The token was not made." />
        <Group justify="flex-end">
          <Button type="submit" color="amber.5" loading={issue.isPending}>
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ShownToken({ issued, onClose }: { issued: IssuedToken; onClose: () => void }): ReactElement {
  return (
    <Stack>
      <WarningNote>
        This is the only time you see it. Copy it now to where it is used, and show it to nobody.
      </WarningNote>
      <CodeBlock text={issued.token} what="the token" />
      <Text size="sm" c="dimmed">
        It may: {issued.scope.split(' ').join(', ')}.{' '}
        {issued.expiresAt === null ? (
          'It works until you revoke it.'
        ) : (
          <>
            It ends <Until at={issued.expiresAt} />.
          </>
        )}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
