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
  test: 'Test the address',
  testing: 'Porchlight asks this address as an assistant does. This takes up to 10 seconds.',
  fine: 'Assistants can connect.',
  testFailed: 'The test didn’t run.',
};

/** What to do in each app, beside pasting the address. `code`: what to copy there, from the public address. */
const apps: readonly { app: string; how: string; what?: string; code?: (base: string) => string }[] = [
  { app: 'Claude', how: 'Settings, Connectors, Add custom connector.' },
  {
    app: 'Claude Code',
    how: 'Run this command.',
    what: 'the command for Claude Code',
    code: (base) => `claude mcp add --transport http porchlight ${base}/mcp`,
  },
  { app: 'ChatGPT', how: 'Settings, Apps and connectors, Create.' },
  { app: 'VS Code', how: 'Run the command “MCP: Add Server”, and choose HTTP.' },
  {
    app: 'Cursor',
    how: 'Older versions also need this client ID.',
    what: 'the client ID for Cursor',
    code: (base) => `${base}/clients/cursor.json`,
  },
  {
    app: 'Gemini CLI',
    how: 'It also needs this client ID.',
    what: 'the client ID for Gemini CLI',
    code: (base) => `${base}/clients/gemini-cli.json`,
  },
];

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
          {apps.map(({ app, how, what = '', code }) => (
            <Stack key={app} gap={4}>
              <Text size="sm">
                <Text span fw={600}>
                  {app}:
                </Text>{' '}
                {how}
              </Text>
              {code && <CodeBlock text={code(baseUrl)} what={what} />}
            </Stack>
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
