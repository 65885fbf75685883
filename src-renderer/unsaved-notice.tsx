import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Client } from './client/client.ts';
import { useClient } from './client/queries.ts';
import { Foreign } from './ui/foreign.tsx';
import { unsavedWords } from './words.ts';

const id = 'not-saved';
/** Milliseconds: long enough to read what isn't saved. */
const readTime = 20_000;

/**
 * Tells the owner after an action that its result applies but isn't on disk yet. One place for all actions, so that none
 * is forgotten. The home screen shows the same words until everything is saved.
 */
export function UnsavedNotice(): null {
  const client = useClient();
  const cache = useQueryClient();
  useEffect(
    () =>
      cache.getMutationCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'success') return;
        if (isUnsaved(event.action.data)) void notify(client);
      }),
    [client, cache],
  );
  return null;
}

function isUnsaved(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'saved' in answer && answer.saved === false;
}

async function notify(client: Client): Promise<void> {
  const status = await client.call('status.get', {}).catch(() => undefined);
  const problem = status?.problems.find(({ code }) => code === 'not_saved');
  // Everything may have been saved in the meantime.
  if (status && !problem) return;
  notifications.hide(id);
  notifications.show({
    id,
    autoClose: readTime,
    message: (
      <Text size="sm">
        <Foreign text={problem?.message ?? unsavedWords} />
      </Text>
    ),
  });
}
