import { Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconExternalLink, IconTrash } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAnswer } from '../../client/queries.ts';
import { Beside, OpenedHeading } from '../../ui/beside.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Foreign, Outside } from '../../ui/foreign.tsx';
import list from '../../ui/list-row.module.css';
import { RichText } from '../../ui/rich-text.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Marks } from './post-row.tsx';
import { PostTime } from './post-time.tsx';
import { contextOf, photosOf, textsOf } from './properties.ts';
import { PreviewPhoto } from './preview-photo.tsx';
import { SentMentions } from './sent-mentions.tsx';
import styles from './posts.module.css';
import { kindWords, previewWords } from './words.ts';

interface Props {
  readonly url: string;
  /** Whether the window has room for the post beside the list. */
  readonly beside: boolean;
  readonly onClose: () => void;
  readonly onDelete: (post: PostItem) => void;
  readonly onRestore: (post: PostItem) => void;
  readonly listLabel: string;
}

/** The open post, beside the list or over it. */
export function Preview({ beside, listLabel, onClose, ...about }: Props): ReactElement {
  return (
    <Beside title={previewWords.title} beside={beside} listLabel={listLabel} onClose={onClose}>
      <Opened key={about.url} {...about} />
    </Beside>
  );
}

function Opened({ url, onDelete, onRestore }: Pick<Props, 'url' | 'onDelete' | 'onRestore'>): ReactElement {
  const answer = useAnswer('posts.get', { url });
  return (
    <Loaded query={answer} what={previewWords.loads}>
      {(found) => (
        <Whole
          found={found}
          action={
            found.item.deletedAt === null ? (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconTrash size={14} aria-hidden="true" />}
                onClick={() => onDelete(found.item)}
              >
                {previewWords.delete}
              </Button>
            ) : (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconArrowBackUp size={14} aria-hidden="true" />}
                onClick={() => onRestore(found.item)}
              >
                {previewWords.restore}
              </Button>
            )
          }
        />
      )}
    </Loaded>
  );
}

function Whole({ found, action }: { found: Result<'posts.get'>; action: ReactNode }): ReactElement {
  const { item, post, html } = found;
  const categories = textsOf(post.properties.category);
  const onSite = item.status === 'published' && item.deletedAt === null && item.visibility !== 'private';
  return (
    <Stack gap="sm">
      <div>
        <OpenedHeading>
          <Foreign text={item.name} fallback={kindWords[item.kind].one} />
        </OpenedHeading>
        <div className={styles.facts}>
          {item.name !== '' && <span>{kindWords[item.kind].one}</span>}
          <PostTime post={item} />
          <Marks post={item} />
        </div>
      </div>
      {contextOf(post.properties).map(({ words, url }) => (
        <Text key={`${words} ${url}`} size="sm">
          {words} <Outside url={url} />
        </Text>
      ))}
      <RichText html={html} />
      {photosOf(post.properties).map((photo) => (
        <PreviewPhoto key={photo.url} photo={photo} origin={new URL(item.url).origin} />
      ))}
      {categories.length > 0 && (
        <ul className={styles.categories} aria-label={previewWords.categories}>
          {categories.map((category) => (
            <li key={category} className={list.tag}>
              <Foreign text={category} />
            </li>
          ))}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        <Address url={item.url} />
      </Text>
      <Group gap="xs">
        {onSite && (
          <Button
            component="a"
            href={item.url}
            target="_blank"
            rel="noopener noreferrer"
            variant="default"
            size="xs"
            leftSection={<IconExternalLink size={14} aria-hidden="true" />}
          >
            {previewWords.open}
          </Button>
        )}
        <CopyButton value={item.url} what={previewWords.address} named />
        {action}
      </Group>
      <SentMentions source={item.url} />
    </Stack>
  );
}
