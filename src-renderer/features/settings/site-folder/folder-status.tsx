import { Button, Group, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import type { SiteFolderStatus } from '../../../../src-main/contract/site-folder.ts';
import { useAction, useAnswer } from '../../../client/queries.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { ForeignSentence, Outside } from '../../../ui/foreign.tsx';
import { Ago } from '../../../ui/moment.tsx';
import { hostIn } from '../../../ui/plain-text.ts';
import shared from '../../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../../ui/states.tsx';
import { commonWords } from '../../../ui/words.ts';
import type { FolderSettings } from './folder-rules.ts';
import styles from './site-folder.module.css';
import { WaitingPosts } from './waiting-posts.tsx';

const words = {
  title: 'State',
  loads: 'the state of your own site',
  states: {
    off: 'Off',
    idle: 'Up to date',
    working: 'Publishing…',
    waiting: 'Waiting',
    trouble: 'Needs your attention',
  } satisfies Record<SiteFolderStatus['state'], string>,
  last: 'Last change:',
  retry: 'Try again',
  retryFailed: 'Porchlight couldn’t try again.',
};

const postsOf = (count: number) => (count === 1 ? '1 post' : `${count.toLocaleString('en')} posts`);

/** The words of publishing all posts. */
const all = {
  count: (count: number) => {
    if (count === 0)
      return 'If the folder has lost files of published posts, Porchlight can write them again.';
    return count === 1
      ? 'One public post isn’t on your own site yet.'
      : `${count.toLocaleString('en')} public posts aren’t on your own site yet.`;
  },
  open: (count: number) => (count === 0 ? 'Write missing files…' : 'Publish all existing posts…'),
  title: (count: number, host: string) =>
    count === 0 ? 'Write the missing files of posts?' : `Publish ${postsOf(count)} on ${host}?`,
  means: (count: number, { commit, media }: Pick<FolderSettings, 'commit' | 'media'>) => {
    const several = media === 'folder' ? ' (several if their files are larger than 100 MB)' : '';
    const together = commit ? `, in one commit${several}` : '';
    return count === 0
      ? `Porchlight looks for published posts whose files are missing from the folder. It writes these posts again${together}.`
      : `Porchlight writes ${postsOf(count)} to the folder${together}. Their addresses on your site lead to the new pages from then on.`;
  },
  action: (count: number) => (count === 0 ? 'Write missing files' : `Publish ${postsOf(count)}`),
  done: (count: number) =>
    count === 0 ? 'No files of posts are missing.' : `Porchlight is publishing ${postsOf(count)}.`,
};

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
      <Title order={3}>{words.states[state]}</Title>
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

interface PublishProps {
  /** How many public posts are not in the folder. */
  readonly count: number;
  readonly settings: FolderSettings;
}

/**
 * Offers to publish the posts from before publishing was on. Without such posts, offers to publish posts whose files are
 * missing from the folder.
 */
function PublishAll({ count, settings }: PublishProps): ReactElement {
  const [asked, setAsked] = useState<number | null>(null);
  const publish = useAction('siteFolder.publishAll');
  const onConfirm = () =>
    publish.mutate(
      {},
      {
        onSuccess: ({ posts }) => {
          setAsked(null);
          const closeButtonProps = { 'aria-label': commonWords.close };
          notifications.show({ message: all.done(posts), closeButtonProps });
        },
      },
    );
  return (
    <div className={styles.part}>
      <Text size="sm" mb="xs">
        {all.count(count)}
      </Text>
      <Button variant="default" size="xs" onClick={() => setAsked(count)}>
        {all.open(count)}
      </Button>
      {asked !== null && (
        <Confirm
          title={all.title(asked, hostIn(settings.baseUrl))}
          action={all.action(asked)}
          color="amber.5"
          busy={publish.isPending}
          error={publish.error}
          onConfirm={onConfirm}
          onClose={() => {
            setAsked(null);
            publish.reset();
          }}
        >
          {all.means(asked, settings)}
        </Confirm>
      )}
    </div>
  );
}
