import { Button, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../../client/queries.ts';
import { hostIn } from '../../../ui/plain-text.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import type { FolderSettings } from './folder-rules.ts';
import { turnWords as words } from './words.ts';

interface Props {
  readonly settings: FolderSettings;
  /** The host of Porchlight's own site. */
  readonly builtIn: string;
  readonly onDone: () => void;
}

/** Stops publishing to the folder, and says before what stays. The owner can turn it on again, so nothing asks twice. */
export function TurnOff({ settings, builtIn, onDone }: Props): ReactElement {
  const turnOff = useAction('settings.update');
  const waiting = useAnswer('siteFolder.status', {}).data?.waiting ?? 0;
  return (
    <section aria-label={words.offTitle}>
      <Title order={3} size="h4">
        {words.offTitle}
      </Title>
      <Text size="sm" mb="sm">
        {words.offMeans(hostIn(settings.baseUrl), builtIn)} {waiting > 0 && words.offWaiting(waiting)}
      </Text>
      <ErrorNote error={turnOff.error} doing={words.offFailed} />
      <Button
        variant="default"
        loading={turnOff.isPending}
        onClick={() => turnOff.mutate({ siteFolder: { on: false } }, { onSuccess: onDone })}
      >
        {words.off}
      </Button>
    </section>
  );
}
