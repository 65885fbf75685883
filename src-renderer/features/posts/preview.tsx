import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer } from '../../client/queries.ts';
import { Beside, OpenedHeading } from '../../ui/beside.tsx';
import { Address, Foreign, Outside } from '../../ui/foreign.tsx';
import list from '../../ui/list-row.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { ChangeHistory } from './change-history.tsx';
import type { PostActions } from './post-actions.ts';
import { Marks } from './post-row.tsx';
import { NotLive } from './not-live.tsx';
import { PostTime } from './post-time.tsx';
import { PostText } from './post-text.tsx';
import { contextOf, photosOf, textsOf } from './properties.ts';
import { PreviewActions } from './preview-actions.tsx';
import { PreviewPhoto } from './preview-photo.tsx';
import { SentMentions } from './sent-mentions.tsx';
import styles from './posts.module.css';
import { historyWords, previewWords } from './words.ts';

interface Props {
  readonly url: string;
  /** Whether the window has room for the post beside the list. */
  readonly beside: boolean;
  readonly onClose: () => void;
  readonly actions: PostActions;
  readonly listLabel: string;
}

/** The open post, beside the list or over it. */
export function PostPreview({ beside, listLabel, onClose, ...about }: Props): ReactElement {
  return (
    <Beside title={previewWords.title} beside={beside} listLabel={listLabel} onClose={onClose}>
      <Opened key={about.url} {...about} />
    </Beside>
  );
}

function Opened({ url, actions }: Pick<Props, 'url' | 'actions'>): ReactElement {
  const answer = useAnswer('posts.get', { url });
  return (
    <Loaded query={answer} what={previewWords.loads}>
      {(found) => <Whole found={found} actions={actions} />}
    </Loaded>
  );
}

interface WholeProps {
  readonly found: Result<'posts.get'>;
  readonly actions: PostActions;
}

function Whole({ found, actions }: WholeProps): ReactElement {
  const { item, post, html, version } = found;
  const history = useAnswer('posts.history', { url: item.url });
  const versions = history.data?.items ?? [];
  // The post itself may be on another site.
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const origin = URL.canParse(base) ? new URL(base).origin : new URL(item.url).origin;
  const categories = textsOf(post.properties.category);
  const summaries = textsOf(post.properties['summary']).slice(0, 1);
  return (
    <Stack gap="sm">
      <div>
        <OpenedHeading>
          <Foreign text={item.name} fallback={postKinds[item.kind].name} />
        </OpenedHeading>
        <div className={styles.facts}>
          {item.name !== '' && <span>{postKinds[item.kind].name}</span>}
          <PostTime post={item} />
          <Marks post={item} />
        </div>
      </div>
      {contextOf(post.properties).map(({ words, url }) => (
        <Text key={`${words} ${url}`} size="sm">
          {words} <Outside url={url} />
        </Text>
      ))}
      {photosOf(post.properties).map((photo) => (
        <PreviewPhoto key={photo.url} photo={photo} origin={origin} />
      ))}
      {summaries.map((summary) => (
        <Text key={summary} c="dimmed">
          <Foreign text={summary} />
        </Text>
      ))}
      <PostText html={html} />
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
      <NotLive found={found} />
      <PreviewActions post={item} version={version} canUndo={versions.length > 0} actions={actions} />
      <ErrorNote error={history.error} doing={historyWords.failed} />
      <ChangeHistory
        versions={versions}
        onRestore={item.deletedAt === null ? (id) => actions.restoreVersion(item, id, version) : null}
      />
      <SentMentions source={item.url} />
    </Stack>
  );
}
