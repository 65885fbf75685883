import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { DamagedPost } from '../../../src-main/contract/posts.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { damagedWords as words, marksOf, postTitle } from './words.ts';

/** The posts that nobody sees after a repair until the owner decides. Renders nothing if there are none. */
export function DamagedPosts(): ReactElement | null {
  const damaged = useAnswer('posts.damaged', {}).data ?? [];
  const restore = useAction('posts.restoreCopy');
  if (damaged.length === 0 && restore.error === null) return null;
  return (
    <Section title={words.title}>
      {damaged.map((post) => (
        <WarningNote key={post.path}>
          <Text>
            <ForeignSentence text={isLost(post) ? words.lost(nameOf(post)) : words.about(nameOf(post))} />
          </Text>
          {post.item !== null && marksOf(post.item).length > 0 && (
            <Text size="sm">{words.marks(marksOf(post.item))}</Text>
          )}
          {!isLost(post) && (
            <Button
              mt="xs"
              variant="default"
              size="compact-sm"
              aria-label={words.restoreNamed(nameOf(post))}
              loading={restore.isPending && restore.variables.path === post.path}
              onClick={() => restore.mutate({ path: post.path })}
            >
              {words.restore}
            </Button>
          )}
        </WarningNote>
      ))}
      <ErrorNote error={restore.error} doing={words.failed} />
    </Section>
  );
}

const isLost = ({ item, movedTo }: DamagedPost) => item === null && movedTo === null;
const nameOf = ({ item, path }: DamagedPost) => (item === null ? path : postTitle(item));
