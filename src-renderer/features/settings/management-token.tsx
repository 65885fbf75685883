import { Button, Group, Stack } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { tokenWords } from './words.ts';

/** Shows the token of the management endpoints once the owner asks for it, and replaces it. */
export function ManagementToken(): ReactElement {
  const [token, setToken] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const read = useAction('secrets.managementToken');
  const rotate = useAction('secrets.rotateManagementToken');
  return (
    <Stack gap="sm">
      {token !== null && <CodeBlock text={token} what={tokenWords.what} />}
      <ErrorNote error={read.error} doing={tokenWords.notRead} />
      <Group>
        {token === null ? (
          <Button
            variant="default"
            loading={read.isPending}
            onClick={() => read.mutate({}, { onSuccess: (answer) => setToken(answer.token) })}
          >
            {tokenWords.show}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setToken(null)}>
            {tokenWords.hide}
          </Button>
        )}
        <Button variant="default" onClick={() => setAsking(true)}>
          {tokenWords.replace}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={tokenWords.confirm}
          action={tokenWords.replace}
          busy={rotate.isPending}
          error={rotate.error}
          onClose={() => {
            rotate.reset();
            setAsking(false);
          }}
          onConfirm={() =>
            rotate.mutate(
              {},
              {
                onSuccess: (answer) => {
                  setToken(answer.token);
                  setAsking(false);
                },
              },
            )
          }
        >
          {tokenWords.aboutReplacing}
        </Confirm>
      )}
    </Stack>
  );
}
