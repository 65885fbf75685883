import { Button, List, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { cloudflarePermissions } from '../../../src-main/contract/reach.ts';
import { useAction } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { TokenField } from './token-field.tsx';
import { apiTokenTyped, tokenPage } from './token-page.ts';
import type { Connected } from './use-setup-draft.ts';
import { permissionReasons, tokenWords as words } from './words.ts';

/** Leads the owner to Cloudflare's token page, and checks the token that they paste. */
export function TokenStep({ onConnected }: { onConnected: (found: Connected) => void }): ReactElement {
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
    <Stack gap="lg">
      <div>
        <Text fw={600}>{words.create}</Text>
        <Text size="sm" c="dimmed">
          {words.aboutCreating}
        </Text>
        <List size="sm" my="xs" spacing={4}>
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
        <Button component="a" variant="default" href={tokenPage} target="_blank" rel="noopener noreferrer">
          {words.link}
        </Button>
      </div>
      <Form gap="sm" onSubmit={submit}>
        <Text fw={600}>{words.paste}</Text>
        <TokenField value={token} about={words.about} problem={problem} onChange={setToken} />
        <ErrorNote error={connect.error} doing={words.failed} />
        <div>
          <Button type="submit" color="amber.5" loading={connect.isPending}>
            {words.check}
          </Button>
        </div>
      </Form>
    </Stack>
  );
}
