import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { isPostKind, postKindList, postKinds } from '../../../../src-main/contract/post-kinds.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Address } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { ErrorNote, Loading } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';
import type { ShownPreview } from './use-folder-preview.ts';
import { previewWords as words } from './words.ts';

const kinds = postKindList.map((value) => ({ value, label: postKinds[value].name }));

/** Shows the file and the URL that posts get. */
export function FolderPreview({ kind, onKind, post, error, faulty }: ShownPreview): ReactElement {
  return (
    <section aria-label={words.title}>
      <Stack gap="sm">
        <Title order={3} size="h4">
          {words.title}
        </Title>
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
