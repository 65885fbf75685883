import { Button, Group, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SiteFolderStatus } from '../../../../src-main/contract/site-folder.ts';
import { useAction, useAnswer } from '../../../client/queries.ts';
import { ForeignSentence, Outside } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { Ago } from '../../../ui/moment.tsx';
import { ErrorNote, Loaded } from '../../../ui/states.tsx';
import type { FolderSettings } from './folder-rules.ts';
import { PublishAll } from './publish-all.tsx';
import { WaitingPosts } from './waiting-posts.tsx';
import { statusWords as words } from './words.ts';

/** How publishing to the folder goes, and the posts that aren't live yet. */
export function FolderStatus({ settings }: { settings: FolderSettings }): ReactElement {
  const status = useAnswer('siteFolder.status', {});
  return (
    <section aria-label={words.title} className={shared.card}>
      <Loaded query={status} what={words.loads}>
        {(now) => <Now status={now} settings={settings} />}
      </Loaded>
    </section>
  );
}

function Now({ status, settings }: { status: SiteFolderStatus; settings: FolderSettings }): ReactElement {
  const retry = useAction('siteFolder.retry');
  const { state, last, unpublished } = status;
  return (
    <>
      <Title order={3} size="h4">
        {words.states[state]}
      </Title>
      <Text role="status" className={shared.wrap}>
        <ForeignSentence text={status.words} />
      </Text>
      {last !== null && (
        <Text size="sm" c="dimmed" mt={4}>
          {words.last} <ForeignSentence text={last.words} /> <Ago at={last.at} />
          {last.url !== null && (
            <>
              <br />
              <Outside url={last.url} />
            </>
          )}
        </Text>
      )}
      <ErrorNote error={retry.error} doing={words.retryFailed} />
      {(state === 'waiting' || state === 'trouble') && (
        <Group mt="sm">
          <Button variant="default" size="xs" loading={retry.isPending} onClick={() => retry.mutate({})}>
            {words.retry}
          </Button>
        </Group>
      )}
      <WaitingPosts status={status} keepsVersions={settings.commit} />
      {state !== 'off' && <PublishAll count={unpublished} settings={settings} />}
    </>
  );
}
