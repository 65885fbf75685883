import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { Findings } from '../setup/findings.tsx';
import { assistantAddress } from './search.ts';
import { SettingGroup } from './setting-field.tsx';
import { AreaForm, useSettingsForm } from './settings-form.tsx';

const words = {
  off: 'Let assistants sign in and save. The address then appears here.',
  address: 'the address for assistants',
  client: (name: string) => `the client ID for ${name}`,
  how: [
    'Claude: Settings, Connectors, Add custom connector. In Claude Code: claude mcp add --transport http porchlight ADDRESS',
    'ChatGPT: Settings, Apps and connectors, Create.',
    'VS Code: run the command “MCP: Add Server”, and choose HTTP.',
  ],
  cursor: 'Older versions of Cursor, and Gemini CLI, also need a client ID. Paste this one there:',
  test: 'Test the address',
  testing: 'Porchlight asks this address as an assistant does. This takes up to 10 seconds.',
  fine: 'Assistants can connect.',
  testFailed: 'The test didn’t run.',
};

const clients = { Cursor: 'cursor', 'Gemini CLI': 'gemini-cli' };

/** Turns assistants on, and shows what to paste into them. */
export function AssistantsForm({ assistants }: { assistants: Settings['assistants'] }): ReactElement {
  const form = useSettingsForm('assistants', assistants);
  return (
    <>
      <AreaForm page="assistants" form={form} />
      <SettingGroup page="assistants" name="address" words={assistantAddress}>
        {assistants.on ? <HowToConnect /> : <Text size="sm">{words.off}</Text>}
      </SettingGroup>
    </>
  );
}

function HowToConnect(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <Loaded query={status} what={words.address}>
      {({ baseUrl }) => (
        <Stack gap="sm">
          <CodeBlock text={`${baseUrl}/mcp`} what={words.address} />
          {words.how.map((line) => (
            <Text key={line} size="sm">
              {line.replace('ADDRESS', `${baseUrl}/mcp`)}
            </Text>
          ))}
          <Text size="sm">{words.cursor}</Text>
          {Object.entries(clients).map(([name, file]) => (
            <CodeBlock key={name} text={`${baseUrl}/clients/${file}.json`} what={words.client(name)} />
          ))}
          <Test />
        </Stack>
      )}
    </Loaded>
  );
}

/** Tests whether assistants can connect through the public address. */
function Test(): ReactElement {
  const client = useClient();
  const test = useMutation({ mutationFn: () => client.call('setup.check', { only: 'assistants' }) });
  return (
    <>
      <Group gap="md">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {words.test}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {test.isPending && words.testing}
        </Text>
      </Group>
      <ErrorNote error={test.error} doing={words.testFailed} />
      {test.data && <Findings findings={test.data.findings} fine={words.fine} />}
    </>
  );
}
