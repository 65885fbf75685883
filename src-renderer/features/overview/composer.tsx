import { Button, Group, Text, Textarea } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Params } from '../../../src-main/contract/contract.ts';
import { useSiteName } from '../../client/own-site.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { inTab } from '../../client/tab-storage.ts';
import { writeHash } from '../../routes.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign, Outside } from '../../ui/foreign.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import styles from './overview.module.css';
import { composerWords as words } from './words.ts';

const keptText = 'porchlight-note';
/** The longest text that the service accepts, in characters. */
const longest = 200_000;
/** In a browser that doesn't fit a field to its text, it has a row for each line, up to this many. */
const mostRows = 10;

/** A line for a note. It grows with its text, which stays in this tab until the note is saved. */
export function Composer(): ReactElement {
  const { name = '', me } = useAnswer('settings.get', {}).data?.profile ?? {};
  const photo = useAnswer('profile.photo', {}).data?.dataUrl ?? null;
  const site = useSiteName();
  const [text, setText] = useState(() => inTab((storage) => storage.getItem(keptText)) ?? '');
  // The same id for a repeated attempt: if only the reply was lost, the service makes no second post.
  const [requestId, setRequestId] = useState(() => crypto.randomUUID());
  const publish = useAction('posts.create');
  const keep = useAction('posts.create');
  const isEmpty = text.trim() === '';
  useUnfinished(!isEmpty);

  const write = (next: string) => {
    setText(next);
    inTab((storage) => storage.setItem(keptText, next));
  };
  const note = (status: 'published' | 'draft'): Params<'posts.create'> => ({
    requestId,
    text,
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status,
  });
  const done = () => {
    write('');
    setRequestId(crypto.randomUUID());
  };
  const onPublish = (event?: { preventDefault: () => void }) => {
    event?.preventDefault();
    if (isEmpty || publish.isPending) return;
    keep.reset();
    publish.mutate(note('published'), { onSuccess: done });
  };
  const onContinue = () =>
    keep.mutate(note('draft'), {
      onSuccess: ({ url }) => {
        done();
        window.location.hash = writeHash({ post: url });
      },
    });

  return (
    <form className={styles.composer} onSubmit={onPublish}>
      <div className={styles.composerLine}>
        <AppMark name={name} address={me ?? ''} logo={photo} round />
        <Textarea
          className={styles.composerText ?? ''}
          classNames={{ input: styles.grows ?? '' }}
          aria-label={words.label}
          placeholder={words.hint}
          rows={Math.min(text.split('\n').length, mostRows)}
          size="md"
          maxLength={longest}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onPublish();
          }}
        />
      </div>
      {!isEmpty && (
        <Group className={styles.composerEnd} gap="sm" justify="space-between">
          <Text size="sm" c="dimmed">
            <Foreign text={words.where(site)} />
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              disabled={publish.isPending}
              loading={keep.isPending}
              onClick={onContinue}
            >
              {words.more}
            </Button>
            <Button type="submit" color="amber.5" disabled={keep.isPending} loading={publish.isPending}>
              {words.publish}
            </Button>
          </Group>
        </Group>
      )}
      <div role="status" className={styles.composerEnd}>
        {publish.isSuccess && isEmpty && (
          <Text size="sm">
            {words.published} <Outside url={publish.data.url} words={words.open} />
          </Text>
        )}
      </div>
      <ErrorNote error={publish.error} doing={words.failed} />
      <ErrorNote error={keep.error} doing={words.draftFailed} />
    </form>
  );
}
