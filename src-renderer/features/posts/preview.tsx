import { Button, Stack, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { writeHash } from '../../routes.ts';
import { Beside, OpenedHeading } from '../../ui/beside.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { IconArrowBackUp, IconExternalLink, IconPencil, IconWorldUpload } from '../../ui/icons.ts';
import { ActionRow, copyItem } from '../../ui/more-menu.tsx';
import { foundPictures } from '../../ui/page-content.ts';
import { hostIn } from '../../ui/plain-text.ts';
import { ShadowPage } from '../../ui/shadow-page.tsx';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { ChangeHistory } from './change-history.tsx';
import { NotLive } from './not-live.tsx';
import type { PostActions } from './post-actions.ts';
import { laterActions } from './post-menu.ts';
import { Marks, PostTime } from './post-row.tsx';
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
  const { item, version } = found;
  const history = useAnswer('posts.history', { url: item.url });
  const versions = history.data?.items ?? [];
  const kind = postKinds[item.kind].name;
  return (
    <Stack gap="sm">
      <div>
        <OpenedHeading>
          {kind}
          {item.name !== '' && (
            <VisuallyHidden>
              : <Foreign text={item.name} />
            </VisuallyHidden>
          )}
        </OpenedHeading>
        <div className={styles.facts}>
          <PostTime post={item} />
          <Marks post={item} />
        </div>
      </div>
      <Actions found={found} canUndo={versions.length > 0} actions={actions} />
      <NotLive found={found} />
      <PostPage url={item.url} version={version} />
      <ErrorNote error={history.error} doing={historyWords.failed} />
      <ChangeHistory
        url={item.url}
        versions={versions}
        onRestore={item.deletedAt === null ? (id) => actions.restoreVersion(item, id, version) : null}
      />
      <SentMentions source={item.url} />
    </Stack>
  );
}

interface ActionsProps extends WholeProps {
  /** Whether the post has an earlier version. */
  readonly canUndo: boolean;
}

/** The actions on the open post. Nothing about a deleted post can be changed until it is restored. */
function Actions({ found: { item, version }, canUndo, actions }: ActionsProps): ReactElement {
  const { url, status, visibility } = item;
  const copy = copyItem(url, previewWords.address);
  if (item.deletedAt !== null)
    return (
      <ActionRow items={[copy]}>
        <Button
          size="xs"
          color="amber.5"
          leftSection={<IconArrowBackUp {...icon} />}
          onClick={() => actions.restore(item)}
        >
          {previewWords.restore}
        </Button>
      </ActionRow>
    );
  const isDraft = status === 'draft';
  const later = laterActions(item, actions, version).filter(
    ({ label }) => canUndo || label !== previewWords.undoLast,
  );
  return (
    <ActionRow items={[copy, ...later]}>
      {isDraft && (
        <SteadyButton
          // Another version gets a new button, so the owner publishes only what was in sight for a second.
          key={version}
          size="xs"
          color="amber.5"
          leftSection={<IconWorldUpload {...icon} />}
          onClick={() => actions.publish(item, version)}
        >
          {previewWords.publish}
        </SteadyButton>
      )}
      <Button
        {...(isDraft ? { variant: 'default' } : { color: 'amber.5' })}
        size="xs"
        component="a"
        href={writeHash({ post: url })}
        leftSection={<IconPencil {...icon} />}
      >
        {previewWords.edit}
      </Button>
      {status === 'published' && visibility !== 'private' && (
        <Button
          variant="default"
          size="xs"
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={previewWords.viewOn(hostIn(url))}
          leftSection={<IconExternalLink {...icon} />}
        >
          {previewWords.view}
        </Button>
      )}
    </ActionRow>
  );
}

const icon = { size: 14, 'aria-hidden': true } as const;
/** The post stands alone, with the edge that its page would have. */
const fitting = 'body { padding: 16px; } body > article { margin: 0; }';

/** The post as the site shows it, with thumbnails in place of its pictures. */
export function PostPage({ url, version }: { url: string; version: string }): ReactElement {
  const client = useClient();
  const page = useQuery({
    queryKey: ['posts.page', { url, version }],
    queryFn: () => client.call('posts.page', { url }),
  });
  const html = page.data?.html ?? '';
  const { data: pictures } = useQuery({
    queryKey: ['media.thumbnail', { html }],
    queryFn: () =>
      foundPictures(html, new Map(), async (address) => {
        const found = await client.call('media.thumbnail', { url: address }).catch(() => ({ dataUrl: null }));
        return found.dataUrl;
      }),
    enabled: html !== '',
  });
  return (
    <Loaded query={page} what={previewWords.loads}>
      {(shown) => (
        <div className={styles.page}>
          <ShadowPage {...shown} fitting={fitting} {...(pictures && { pictures })} linked />
        </div>
      )}
    </Loaded>
  );
}
