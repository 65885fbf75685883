import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useList } from '../../client/queries.ts';
import { writeHash } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { isWorthSaving, textOf } from './form.ts';
import type { Writing } from './writing.ts';
import { screenWords } from './words.ts';
import styles from './write.module.css';

/** The most drafts that a new post offers to continue. */
const mostDrafts = 3;

/** Links to the newest drafts, while the new post is empty. */
export function RecentDrafts({ writing: { form, post } }: { writing: Writing }): ReactElement | null {
  const { items } = useList('posts.list', { status: 'draft', limit: mostDrafts });
  const isEmpty = post === null && !isWorthSaving(textOf(form, 'draft')) && form.photos.length === 0;
  if (!isEmpty || items.length === 0) return null;
  return (
    <Text size="sm" className={styles.drafts}>
      {screenWords.drafts}{' '}
      {items.slice(0, mostDrafts).map(({ url, name, summary }) => (
        <a key={url} href={writeHash({ post: url })}>
          <Foreign text={name || summary} fallback={screenWords.untitled} />
        </a>
      ))}
    </Text>
  );
}
