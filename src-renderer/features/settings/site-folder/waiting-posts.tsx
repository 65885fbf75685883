import { Button, Group, Text, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { FolderItem, SiteFolderStatus } from '../../../../src-main/contract/site-folder.ts';
import { useAction } from '../../../client/queries.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Address, Foreign, ForeignSentence, Outside } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { Ago } from '../../../ui/moment.tsx';
import { Phrase } from '../../../ui/phrase.tsx';
import { shortened } from '../../../ui/plain-text.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';

const words = {
  title: 'Posts that aren’t live yet',
  states: {
    waiting: 'Waiting',
    building: 'Building',
    late: 'Late',
    conflict: 'Conflict',
  } satisfies Record<FolderItem['state'], string>,
  untitled: 'Post without text',
  file: 'File:',
  retry: 'Try again',
  retryOf: (title: string) => `Try again: ${title}`,
  retryFailed: 'Porchlight couldn’t try again.',
  replace: 'Replace the file…',
  replaceOf: (title: string) => `Replace the file of ${title}…`,
  replaceTitle: 'Replace the file?',
  /** The file comes in place of {file}. */
  replaceMeans: 'Porchlight replaces {file} with its version of the post.',
  replaceKept: 'Git keeps your version of the file in its history.',
  replaceLost: 'Your version of the file is lost. You can’t undo this.',
  replaceAction: 'Replace the file',
  showAll: (count: number) => `Show all ${count}`,
  more: (count: number) => (count === 1 ? 'And one more post.' : `And ${count} more posts.`),
};

/** How many posts are shown before the owner asks for all of them. */
const few = 5;
/** In characters. */
const longestName = 60;

interface Props {
  readonly status: SiteFolderStatus;
  /** Whether git keeps the versions of files that Porchlight replaces. */
  readonly keepsVersions: boolean;
}

/** Lists the posts that aren't live yet, those that the owner has to decide about first. Renders nothing without any. */
export function WaitingPosts({ status: { items, waiting }, keepsVersions }: Props): ReactElement | null {
  const [all, setAll] = useState(false);
  if (items.length === 0) return null;
  const shown = all ? items : items.slice(0, few);
  return (
    <section aria-label={words.title} className={styles.part}>
      <Title order={4} size="h5">
        {words.title}
      </Title>
      <ul className={shared.list}>
        {shown.map((item) => (
          <li key={item.id} className={styles.item}>
            <Row item={item} keepsVersions={keepsVersions} />
          </li>
        ))}
      </ul>
      {shown.length < items.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          {words.showAll(items.length)}
        </Button>
      )}
      {shown.length === items.length && waiting > items.length && (
        <Text size="sm">{words.more(waiting - items.length)}</Text>
      )}
    </section>
  );
}

function Row({ item, keepsVersions }: { item: FolderItem; keepsVersions: boolean }): ReactElement {
  const retry = useAction('siteFolder.retry');
  const [asking, setAsking] = useState(false);
  const { id, state, file, url, since } = item;
  const name = shortened(item.title, longestName) || words.untitled;
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600} className={shared.wrap}>
          <Foreign text={item.title} fallback={words.untitled} />
        </Text>
        <span className={styles.state} data-state={state}>
          {words.states[state]}
        </span>
      </Group>
      <Text size="sm" className={shared.wrap}>
        <ForeignSentence text={item.words} />{' '}
        <Text span size="sm" c="dimmed">
          <Ago at={since} />
        </Text>
      </Text>
      <Text size="sm" c="dimmed">
        <Outside url={url} />
        <br />
        {words.file} <Address url={file} />
      </Text>
      <ErrorNote error={retry.error} doing={words.retryFailed} />
      {(state === 'conflict' || state === 'late') && (
        <Group gap="xs" mt={6}>
          <Button
            variant="default"
            size="xs"
            aria-label={words.retryOf(name)}
            loading={retry.isPending && !asking}
            onClick={() => retry.mutate({ id })}
          >
            {words.retry}
          </Button>
          {state === 'conflict' && (
            <Button
              variant="default"
              size="xs"
              aria-label={words.replaceOf(name)}
              onClick={() => setAsking(true)}
            >
              {words.replace}
            </Button>
          )}
        </Group>
      )}
      {asking && <Replace item={item} keepsVersions={keepsVersions} onClose={() => setAsking(false)} />}
    </>
  );
}

interface ReplaceProps {
  readonly item: FolderItem;
  readonly keepsVersions: boolean;
  readonly onClose: () => void;
}

/** Asks before Porchlight replaces a file that the owner changed. */
function Replace({ item: { id, file }, keepsVersions, onClose }: ReplaceProps): ReactElement {
  const replace = useAction('siteFolder.retry');
  return (
    <Confirm
      title={words.replaceTitle}
      action={words.replaceAction}
      busy={replace.isPending}
      error={replace.error}
      onConfirm={() => replace.mutate({ id, replace: true }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Phrase text={words.replaceMeans} parts={{ file: <Address url={file} /> }} />{' '}
      {keepsVersions ? words.replaceKept : words.replaceLost}
    </Confirm>
  );
}
