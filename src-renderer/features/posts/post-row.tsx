import { VisuallyHidden } from '@mantine/core';
import { useId, type ReactElement } from 'react';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { Foreign } from '../../ui/foreign.tsx';
import list from '../../ui/list-row.module.css';
import { Ago, Until } from '../../ui/moment.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { RowPicture } from '../../ui/small-picture.tsx';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import { kindIcons } from './kind-icons.ts';
import { useFolderItem } from './not-live.tsx';
import type { PostActions } from './post-actions.ts';
import { rowActions } from './post-menu.ts';
import styles from './posts.module.css';
import { liveWords, marksOf, rowWords, postTitle } from './words.ts';

interface Props {
  readonly post: PostItem;
  readonly open: boolean;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
  readonly actions: PostActions;
}

/** A post in the list. It opens the whole post, and has a menu of actions. */
export function PostRow({ post, open, tabIndex, onOpen, actions }: Props): ReactElement {
  const titleId = useId();
  const { name } = postKinds[post.kind];
  const detail = post.name === '' ? '' : post.summary;
  return (
    <div className={styles.row}>
      <button
        type="button"
        className={list.row}
        tabIndex={tabIndex}
        aria-current={open ? 'true' : undefined}
        onClick={onOpen}
      >
        <span title={name}>
          <RowPicture url={post.picture ?? ''} StandIn={kindIcons[post.kind]} />
          <VisuallyHidden>{rowWords.spokenKind(post.kind)}</VisuallyHidden>
        </span>
        <span className={list.words}>
          <span id={titleId} className={list.line} dir="auto">
            {plainText(postTitle(post)) || name}
          </span>
          {detail !== '' && (
            <span className={list.detail} dir="auto">
              {plainText(detail)}
            </span>
          )}
        </span>
        <Marks post={post} />
        <span className={list.time}>
          <PostTime post={post} />
        </span>
      </button>
      <div className={styles.menu}>
        <MoreMenu
          items={rowActions(post, actions)}
          label={rowWords.actions}
          describedBy={titleId}
          tabIndex={tabIndex}
        />
      </div>
    </div>
  );
}

/** Says whether a post is a draft, scheduled, unlisted, private, deleted or not live yet. */
export function Marks({ post }: { post: PostItem }): ReactElement | null {
  const waiting = useFolderItem(post.url);
  const marks = [...marksOf(post), ...(waiting === undefined ? [] : [liveWords.mark[waiting.state]])];
  if (marks.length === 0) return null;
  return (
    <span className={styles.marks}>
      {marks.map((words) => (
        <span key={words} className={list.tag}>
          {words}
        </span>
      ))}
    </span>
  );
}

/** Shows when a post was published, or when it will be. */
export function PostTime({ post }: { post: PostItem }): ReactElement {
  // An app can send text that is not a date.
  if (Number.isNaN(Date.parse(post.published))) return <Foreign text={post.published} />;
  return post.status === 'scheduled' ? <Until at={post.published} /> : <Ago at={post.published} />;
}
