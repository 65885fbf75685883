import { Button, Group, Stack } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorNote } from '../../ui/states.tsx';

/** The token of the management endpoints: hidden until asked for. */
export function ManagementToken(): ReactElement {
  const [token, setToken] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const read = useAction('secrets.managementToken');
  const rotate = useAction('secrets.rotateManagementToken');
  return (
    <Stack gap="sm">
      {token !== null && <CodeBlock text={token} what="the management token" />}
      <ErrorNote error={read.error} doing="The token could not be read." />
      <Group>
        {token === null ? (
          <Button
            variant="default"
            loading={read.isPending}
            onClick={() => read.mutate({}, { onSuccess: (answer) => setToken(answer.token) })}
          >
            Show the token
          </Button>
        ) : (
          <Button variant="default" onClick={() => setToken(null)}>
            Hide the token
          </Button>
        )}
        <Button variant="default" onClick={() => setAsking(true)}>
          Replace the token
        </Button>
      </Group>
      {asking && (
        <Confirm
          title="Replace the management token?"
          action="Replace the token"
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
          Programs that use the old one stop working at once, until you give them the new one. This can’t be
          undone.
        </Confirm>
      )}
    </Stack>
  );
}
