import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { advancedSettings } from './search.ts';
import { SettingGroup } from './setting-field.tsx';

const words = {
  token: 'the management token',
  notRead: 'Porchlight couldn’t read the token.',
  show: 'Show the token',
  hide: 'Hide the token',
  replace: 'Replace the token',
  confirm: 'Replace the management token?',
  aboutReplacing:
    'Programs that use the old token stop working until you give them the new one. You can’t undo this.',
  loading: 'where secrets are stored',
  keychain: 'In this computer’s keychain. Only your user account can read them.',
  file: 'In a file in the data folder, not in the keychain. Only your user account can read the file.',
};

/** What only owners who write programs need, and where secrets are stored. */
export function Advanced(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <>
      <SettingGroup page="advanced" name="managementToken" words={advancedSettings.managementToken}>
        <ManagementToken />
      </SettingGroup>
      <SettingGroup page="advanced" name="secrets" words={advancedSettings.secrets}>
        <Loaded query={status} what={words.loading}>
          {({ secrets }) => <Text size="sm">{words[secrets]}</Text>}
        </Loaded>
      </SettingGroup>
    </>
  );
}

/** Shows the token of the management endpoints once the owner asks for it, and replaces it. */
function ManagementToken(): ReactElement {
  const [token, setToken] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const read = useAction('secrets.managementToken');
  const rotate = useAction('secrets.rotateManagementToken');
  const close = () => {
    rotate.reset();
    setAsking(false);
  };
  return (
    <Stack gap="sm">
      {token !== null && <CodeBlock text={token} what={words.token} />}
      <ErrorNote error={read.error} doing={words.notRead} />
      <Group>
        {token === null ? (
          <Button
            variant="default"
            loading={read.isPending}
            onClick={() => read.mutate({}, { onSuccess: (answer) => setToken(answer.token) })}
          >
            {words.show}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setToken(null)}>
            {words.hide}
          </Button>
        )}
        <Button variant="default" onClick={() => setAsking(true)}>
          {words.replace}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={words.confirm}
          action={words.replace}
          busy={rotate.isPending}
          error={rotate.error}
          onClose={close}
          onConfirm={() =>
            rotate.mutate(
              {},
              {
                onSuccess: (answer) => {
                  setToken(answer.token);
                  close();
                },
              },
            )
          }
        >
          {words.aboutReplacing}
        </Confirm>
      )}
    </Stack>
  );
}
