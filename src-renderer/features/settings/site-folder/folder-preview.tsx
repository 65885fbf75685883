import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../../src-main/contract/contract.ts';
import { isPostKind, postKindList, postKinds } from '../../../../src-main/contract/post-kinds.ts';
import type { PostKind } from '../../../../src-main/contract/posts.ts';
import { useClient } from '../../../client/queries.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Address } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { ErrorNote, Loading } from '../../../ui/states.tsx';
import { faultyField, type FolderSettings, type TypedField } from './folder-rules.ts';
import styles from './site-folder.module.css';

const words = {
  title: 'Preview',
  kind: 'Kind of post',
  own: 'Your newest post of this kind, as Porchlight would write it.',
  example: 'You have no post of this kind, so this is an example.',
  loads: 'the preview',
  file: 'File',
  url: 'URL',
  media: 'Other files',
  text: 'Text of the file',
  copied: 'the file',
  failed: 'Porchlight can’t show a preview.',
  correct: 'Correct the field that is marked below to see a preview.',
  outdated: 'This is the preview from before your last change.',
};

/** How long the owner has to pause before the preview follows, in ms. */
const pauseMs = 300;

type PostFile = Result<'siteFolder.preview'>;

/** A post of one kind, as it would be written with settings that aren't saved yet. */
interface ShownPreview {
  readonly kind: PostKind;
  readonly onKind: (kind: PostKind) => void;
  /** The newest answer; after an error, the one before it. Null until there is one. */
  readonly post: PostFile | null;
  /** Why the settings can't be used. */
  readonly error: Error | null;
  /** The field that the error is about, if that is clear. */
  readonly faulty: TypedField | undefined;
}

/** Asks the service for a preview whenever the settings change. */
export function useFolderPreview(settings: FolderSettings): ShownPreview {
  const client = useClient();
  const [kind, onKind] = useState<PostKind>('note');
  const [settled] = useDebouncedValue(settings, pauseMs);
  const params = { kind, settings: settled };
  const { data, error } = useQuery({
    queryKey: ['siteFolder.preview', params],
    queryFn: async () => ({ post: await client.call('siteFolder.preview', params), settings: settled }),
    gcTime: 0,
  });
  const [good, setGood] = useState<{ post: PostFile; settings: FolderSettings } | null>(null);
  if (data !== undefined && data !== good) setGood(data);
  return {
    kind,
    onKind,
    error,
    post: good?.post ?? null,
    faulty: error ? faultyField(settled, good?.settings ?? null) : undefined,
  };
}

const kinds = postKindList.map((value) => ({ value, label: postKinds[value].name }));

/** Shows the file and the URL that posts get. */
export function FolderPreview({ kind, onKind, post, error, faulty }: ShownPreview): ReactElement {
  return (
    <section aria-label={words.title}>
      <Stack gap="sm">
        <Title order={3}>{words.title}</Title>
        <NativeSelect
          label={words.kind}
          maw={240}
          data={kinds}
          value={kind}
          onChange={(event) => {
            if (isPostKind(event.currentTarget.value)) onKind(event.currentTarget.value);
          }}
        />
        {faulty === undefined && <ErrorNote error={error} doing={words.failed} />}
        {post === null && faulty !== undefined && (
          <Text size="sm" c="dimmed">
            {words.correct}
          </Text>
        )}
        {post === null && error === null && <Loading what={words.loads} />}
        {post !== null && (
          <>
            <Text size="sm" c="dimmed">
              {error !== null ? words.outdated : post.isExample ? words.example : words.own}
            </Text>
            <dl className={styles.facts}>
              <dt>{words.file}</dt>
              <dd className={styles.code}>
                <Address url={post.file} />
              </dd>
              <dt>{words.url}</dt>
              <dd>
                <Address url={post.url} />
              </dd>
              {post.media.length > 0 && (
                <>
                  <dt>{words.media}</dt>
                  {post.media.map((file) => (
                    <dd key={file} className={styles.code}>
                      <Address url={file} />
                    </dd>
                  ))}
                </>
              )}
            </dl>
            <pre className={`${shared.code} ${styles.text}`} tabIndex={0} aria-label={words.text}>
              {post.text}
            </pre>
            <div>
              <CopyButton value={post.text} what={words.copied} named />
            </div>
          </>
        )}
      </Stack>
    </section>
  );
}
