import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowBackUp, IconExternalLink, IconTrash, IconX } from '@tabler/icons-react';
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAnswer } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { Loaded } from '../../ui/states.tsx';
import { kinds } from './kinds.ts';
import { Marks } from './post-row.tsx';
import { PostTime } from './post-time.tsx';
import { contextOf, photosOf, textsOf } from './properties.ts';
import { PreviewPhoto } from './preview-photo.tsx';
import styles from './posts.module.css';

interface Props {
  readonly url: string;
  /** True where there is room beside the list. */
  readonly beside: boolean;
  readonly onClose: () => void;
  readonly onDelete: (post: PostItem) => void;
  readonly onRestore: (post: PostItem) => void;
  /** Gives the focus back to the list. */
  readonly onGone: () => void;
}

/** The post that was opened, beside the list or over it. */
export function Preview({ beside, onClose, onGone, ...about }: Props): ReactElement {
  useEffect(() => onGone, [onGone]);
  const inside = <Opened key={about.url} {...about} />;
  if (!beside) {
    return (
      <Drawer
        opened
        position="right"
        size="min(440px, 92vw)"
        title="Your post"
        returnFocus={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
        onClose={onClose}
      >
        {inside}
      </Drawer>
    );
  }
  return (
    <aside
      className={`${look.card} ${styles.beside}`}
      aria-label="Your post"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Button
        variant="subtle"
        size="compact-sm"
        className={styles.close}
        leftSection={<IconX size={14} aria-hidden="true" />}
        onClick={onClose}
      >
        Close
      </Button>
      {inside}
    </aside>
  );
}

function Opened({ url, onDelete, onRestore }: Pick<Props, 'url' | 'onDelete' | 'onRestore'>): ReactElement {
  const answer = useAnswer('posts.get', { url });
  return (
    <Loaded query={answer} what="this post">
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
                Delete
              </Button>
            ) : (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconArrowBackUp size={14} aria-hidden="true" />}
                onClick={() => onRestore(found.item)}
              >
                Bring back
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
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const categories = textsOf(post.properties.category);
  const onSite = item.status === 'published' && item.deletedAt === null && item.visibility !== 'private';
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} ref={heading} tabIndex={-1} className={styles.heading}>
          <Foreign text={item.name} fallback={kinds[item.kind].one} />
        </Title>
        <div className={styles.facts}>
          {item.name !== '' && <span>{kinds[item.kind].one}</span>}
          <PostTime post={item} />
          <Marks post={item} />
        </div>
      </div>
      {contextOf(post.properties).map(({ words, url }) => (
        <Text key={`${words} ${url}`} size="sm">
          {words} <Outside url={url} />
        </Text>
      ))}
      <Content html={html} />
      {photosOf(post.properties).map((photo) => (
        <PreviewPhoto key={photo.url} photo={photo} origin={new URL(item.url).origin} />
      ))}
      {categories.length > 0 && (
        <ul className={styles.categories} aria-label="Categories">
          {categories.map((category) => (
            <li key={category} className={styles.tag}>
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
            Open on the site
          </Button>
        )}
        <CopyButton value={item.url} what="the address" />
        {action}
      </Group>
    </Stack>
  );
}

/** An address that opens in the browser: the window itself never goes anywhere. */
function Outside({ url }: { url: string }): ReactElement {
  if (!/^https?:/i.test(url)) return <Address url={url} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={styles.link}>
      <Address url={url} />
    </a>
  );
}

/** `html` was sanitized by the service, as it is for the site. */
function Content({ html }: { html: string }): ReactElement {
  return (
    <div
      dir="auto"
      className={styles.content}
      onClick={(event) => {
        const link = event.target instanceof Element ? event.target.closest('a') : null;
        if (!link) return;
        event.preventDefault();
        // As a link with a new window would: the desktop app hands it to the browser.
        if (/^https?:$/.test(link.protocol)) window.open(link.href, '_blank', 'noopener,noreferrer');
      }}
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
