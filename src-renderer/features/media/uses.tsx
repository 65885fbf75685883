import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MediaUse } from '../../../src-main/contract/media.ts';
import { hashOf } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import styles from './media.module.css';
import { usesWords } from './words.ts';

/** The posts that use a file, each with its alt text for the file. */
export function UseList({ uses, picture }: { uses: readonly MediaUse[]; picture: boolean }): ReactElement {
  return (
    <ul className={styles.uses}>
      {uses.map(({ post, alt }, index) => (
        <li key={`${post.url} ${index}`}>
          <a href={hashOf('posts', post.url)}>
            <Foreign text={post.name || post.summary} fallback={usesWords.untitled} />
          </a>
          <Text size="sm" c="dimmed">
            <Ago at={post.published} />
            {post.deletedAt !== null && ` · ${usesWords.deleted}`}
          </Text>
          {alt !== '' && (
            <Text size="sm">
              {usesWords.alt} “<Foreign text={alt} />”
            </Text>
          )}
          {alt === '' && picture && (
            <Text size="sm" c="dimmed">
              {usesWords.noAlt}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
