import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { IssuedToken } from '../../../src-main/contract/sign-ins.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Form } from '../../ui/form.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { LifetimeChoice } from '../../ui/lifetime-choice.tsx';
import { Until } from '../../ui/moment.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { ScopeChoice } from '../../ui/scope-choice.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { tokenWords } from './words.ts';

/** Creates a token for a tool that can't ask to sign in, and shows it this once. */
export function TokenDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  return (
    <Modal
      opened
      centered
      closeButtonProps={{ 'aria-label': tokenWords.close }}
      title={issued ? tokenWords.titleDone : tokenWords.title}
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
  const [assistant, setAssistant] = useState(false);
  const hasAssistants = useAnswer('settings.get', {}).data?.assistants.on === true;
  const permissions = useAnswer('apps.permissions', assistant ? { assistant } : {});
  const issue = useAction('apps.issueToken');

  const submit = () => {
    const lacks = {
      ...(label.trim() === '' && { label: tokenWords.labelMissing }),
      ...(scopes.length === 0 && { scopes: tokenWords.scopesMissing }),
    };
    setMissing(lacks);
    if (Object.keys(lacks).length > 0) return;
    const params = { label: label.trim(), scopes, ...(assistant && { assistant }) };
    issue.mutate(expiresIn === null ? params : { ...params, expiresIn }, { onSuccess: onIssued });
  };

  return (
    <Form onSubmit={submit}>
      <TextInput
        label={tokenWords.label}
        placeholder={tokenWords.placeholder}
        value={label}
        maxLength={100}
        error={missing.label}
        data-autofocus
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      {hasAssistants && (
        <Checkbox
          label={tokenWords.assistant}
          description={tokenWords.assistantMeans}
          checked={assistant}
          onChange={(event) => {
            setAssistant(event.currentTarget.checked);
            // The same names permit other things there.
            setScopes([]);
          }}
        />
      )}
      <Loaded query={permissions} what={tokenWords.permissions}>
        {(known) => <ScopeChoice permissions={known} chosen={scopes} onChange={setScopes} />}
      </Loaded>
      {missing.scopes !== undefined && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {missing.scopes}
        </Text>
      )}
      <LifetimeChoice
        label={tokenWords.lifetime}
        endless={tokenWords.endless}
        seconds={expiresIn}
        onChange={setExpiresIn}
      />
      <ErrorNote error={issue.error} doing={tokenWords.failed} />
      <Group justify="flex-end">
        <Button type="submit" color="amber.5" loading={issue.isPending}>
          {tokenWords.create}
        </Button>
      </Group>
    </Form>
  );
}

function ShownToken({ issued, onClose }: { issued: IssuedToken; onClose: () => void }): ReactElement {
  return (
    <Stack>
      <WarningNote>{tokenWords.once}</WarningNote>
      <CodeBlock text={issued.token} what={tokenWords.copy} />
      <Text size="sm" c="dimmed">
        {tokenWords.allows(issued.scope.split(' '))}{' '}
        {issued.expiresAt === null ? (
          tokenWords.never
        ) : (
          <Phrase text={tokenWords.ends} parts={{ when: <Until at={issued.expiresAt} /> }} />
        )}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {tokenWords.done}
        </Button>
      </Group>
    </Stack>
  );
}
