import { List, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import type { ReachDraft, ReachProblems } from './reach-choice.ts';

interface Props {
  readonly shown: ReachDraft;
  readonly tokenKept: boolean;
  readonly problems: ReachProblems;
  readonly onChange: (changes: Partial<ReachDraft>) => void;
}

/** What a named tunnel needs, and where at Cloudflare it is found. */
export function NamedFields({ shown, tokenKept, problems, onChange }: Props): ReactElement {
  const port = useAnswer('status.get', {}).data?.port ?? null;
  return (
    <Stack>
      <div>
        <Text fw={600} size="sm">
          At Cloudflare (dash.cloudflare.com, Networking, Tunnels)
        </Text>
        <List type="ordered" size="sm" mt={4} spacing={4}>
          <List.Item>Create a tunnel, and give it a name: “porchlight”, say.</List.Item>
          <List.Item>
            It shows a command to install. Copy it, and paste it below as the token; don’t run it.
          </List.Item>
          <List.Item>
            Add a published application: the host name you want, and the service{' '}
            <code>http://127.0.0.1:{port ?? 4180}</code>.
          </List.Item>
        </List>
      </div>
      <TextInput
        label="Host name"
        placeholder="porch.example.com"
        maxLength={300}
        autoCapitalize="off"
        spellCheck={false}
        value={shown.hostname}
        error={problems.hostname}
        onChange={(event) => onChange({ hostname: event.currentTarget.value })}
      />
      <PasswordInput
        label={tokenKept ? 'Another token' : 'Token'}
        description={
          tokenKept
            ? 'A token is kept, and is never shown again. Paste another one to replace it.'
            : 'It is kept with your other secrets, and never shown again.'
        }
        autoComplete="off"
        value={shown.token}
        error={problems.token}
        onChange={(event) => onChange({ token: event.currentTarget.value })}
      />
    </Stack>
  );
}
