import { Button, List, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { cloudflarePermissions } from '../../../src-main/contract/reach.ts';
import { useAction } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { IconExternalLink } from '../../ui/icons.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { TokenField } from './token-field.tsx';
import { apiTokenTyped, tokenPage } from './token-page.ts';
import type { Connected } from './use-setup-draft.ts';
import { permissionReasons, tokenWords as words } from './words.ts';

interface Props {
  readonly onConnected: (found: Connected) => void;
  /** Lays out the button that checks the token. */
  readonly actions: (primary: ReactElement) => ReactElement;
}

/** Leads the owner to Cloudflare's token page, and checks the token that they paste. */
export function TokenStep({ onConnected, actions }: Props): ReactElement {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  useUnfinished(token !== '');
  const connect = useAction('cloudflare.connect');
  const submit = () => {
    const apiToken = apiTokenTyped(token);
    setProblem(apiToken === undefined ? (token.trim() === '' ? words.empty : words.notAToken) : undefined);
    if (apiToken !== undefined) connect.mutate({ apiToken }, { onSuccess: onConnected });
  };
  return (
    <Form onSubmit={submit}>
      <div>
        <Text fw={600}>{words.create}</Text>
        <Text c="dimmed">{words.aboutCreating}</Text>
        <Button
          component="a"
          variant="default"
          my="sm"
          href={tokenPage}
          target="_blank"
          rel="noopener noreferrer"
          rightSection={<IconExternalLink size={16} aria-hidden="true" />}
        >
          {words.link}
        </Button>
        <details>
          <summary>{words.permissions(cloudflarePermissions.length)}</summary>
          <List size="sm" mt="xs" spacing={4}>
            {cloudflarePermissions.map(({ name, key }) => (
              <List.Item key={key}>
                <Text inherit fw={500}>
                  {name}
                </Text>
                <Text inherit c="dimmed">
                  {permissionReasons[key]}
                </Text>
              </List.Item>
            ))}
          </List>
        </details>
      </div>
      <Text fw={600}>{words.paste}</Text>
      <TokenField value={token} about={words.about} problem={problem} onChange={setToken} />
      <ErrorNote error={connect.error} doing={words.failed} />
      {actions(
        <Button type="submit" size="md" color="amber.5" loading={connect.isPending}>
          {words.check}
        </Button>,
      )}
    </Form>
  );
}
