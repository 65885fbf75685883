import { Button, Group, Stack, Text } from '@mantine/core';
import { Fragment, useId, useState, type ReactElement, type ReactNode } from 'react';
import {
  type Delivery,
  type PostItem,
  targetName,
  withShortAddresses,
} from '../../../src-main/contract/posts.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useHeldMentions } from '../../client/held.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { hashOf, writeHash } from '../../routes.ts';
import { Foreign, ForeignSentence } from '../../ui/foreign.tsx';
import { IconAlertTriangle, IconPencil } from '../../ui/icons.ts';
import { Ago } from '../../ui/moment.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { addressInShort, visibleAddress } from '../../ui/plain-text.ts';
import shared from '../../ui/shared.module.css';
import { RowPicture } from '../../ui/small-picture.tsx';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { usePostActions } from '../posts/post-actions.ts';
import { PostPage } from '../posts/preview.tsx';
import { MentionActions } from '../webmentions/mention-actions.tsx';
import { MentionFace, MentionLine } from '../webmentions/mention-line.tsx';
import { type Moderation, useModeration } from '../webmentions/moderation.tsx';
import { PageName } from '../webmentions/page-name.tsx';
import { useDismissed } from './dismissed.ts';
import styles from './overview.module.css';
import { NoteLink } from './problems.tsx';
import { needWords as words } from './words.ts';

/** As many of each kind as stand here; the rest is on the screen of the kind. */
const most = 3;
/** As many drafts are counted. */
const mostDrafts = 50;

interface NeedsNow {
  readonly held: ReturnType<typeof useHeldMentions>;
  readonly failed: readonly Delivery[];
  /** The drafts, by the app that created them: undefined for the owner. */
  readonly drafts: ReadonlyMap<string | undefined, readonly PostItem[]>;
  /** Whether there are more drafts than these. */
  readonly hasMoreDrafts: boolean;
  readonly dismiss: (delivery: Delivery) => void;
  /** How many items there are. */
  readonly count: number;
}

/** Returns what waits for the owner: mentions, mentions that couldn't be sent, and drafts. */
export function useNeeds(): NeedsNow {
  const held = useHeldMentions();
  const dismissed = useDismissed('sends');
  const deliveries = useAnswer('webmentions.failedDeliveries', {}).data ?? [];
  const failed = deliveries.filter((one) => !dismissed.has(idOf(one)));
  const { items = [], nextCursor } =
    useAnswer('posts.list', { status: 'draft', limit: mostDrafts }).data ?? {};
  const drafts = new Map<string | undefined, PostItem[]>();
  for (const item of items) drafts.set(item.createdBy, [...(drafts.get(item.createdBy) ?? []), item]);
  const count = held.items.length + failed.length + items.length;
  const hasMoreDrafts = nextCursor !== undefined;
  return { held, failed, drafts, hasMoreDrafts, count, dismiss: (one) => dismissed.dismiss(idOf(one)) };
}

/** Lists what waits for the owner, each item with its buttons. */
export function Needs({ needs }: { needs: NeedsNow }): ReactElement {
  const { held, failed, drafts, hasMoreDrafts, dismiss } = needs;
  const moderation = useModeration(() => undefined);
  const retry = useAction('webmentions.retryDelivery');
  return (
    <>
      <ul className={`${shared.card} ${shared.list} ${styles.needs}`} aria-label={words.list}>
        {held.items.slice(0, most).map((mention) => (
          <HeldMention key={mention.id} mention={mention} moderation={moderation} />
        ))}
        {held.items.length > most && (
          <li className={styles.rest}>
            {words.moreMentions(held.more(most))}{' '}
            <NoteLink hash={`${hashOf('webmentions')}?status=held`}>{words.showMentions}</NoteLink>
          </li>
        )}
        {failed.slice(0, most).map((one) => (
          <FailedSend
            key={idOf(one)}
            delivery={one}
            isBusy={retry.isPending}
            onRetry={() => retry.mutate({ source: one.source, target: one.target })}
            onDismiss={() => dismiss(one)}
          />
        ))}
        {[...drafts].map(([app, those]) => (
          <Fragment key={app ?? ''}>
            {app !== undefined && those.length > 1 && (
              <li className={styles.rest}>
                <Phrase
                  text={words.draftsBy(`${those.length}${hasMoreDrafts ? '+' : ''}`)}
                  parts={{ app: <Foreign text={app} /> }}
                />{' '}
                {those.length > most && <NoteLink hash={hashOf('posts')}>{words.showDrafts}</NoteLink>}
              </li>
            )}
            {those.slice(0, most).map((draft) => (
              <Draft key={draft.url} draft={draft} />
            ))}
          </Fragment>
        ))}
      </ul>
      <ErrorNote error={retry.error} />
    </>
  );
}

/** A failure that happens again counts as a new one. */
const idOf = ({ source, target, at }: Delivery) => `${source} ${target} ${at}`;

function HeldMention(props: { mention: MentionRecord; moderation: Moderation }): ReactElement {
  const { mention, moderation } = props;
  const lineId = useId();
  return (
    <li className={styles.need} data-waits>
      <MentionFace mention={mention} />
      <div className={shared.rowBody}>
        <MentionLine mention={mention} id={lineId} />
        <Text size="sm" c="dimmed">
          <Ago at={mention.received} />
        </Text>
      </div>
      <div className={styles.needActions}>
        <MentionActions inRow mention={mention} moderation={moderation} describedBy={lineId} />
      </div>
    </li>
  );
}

interface FailedSendProps {
  readonly delivery: Delivery;
  readonly isBusy: boolean;
  readonly onRetry: () => void;
  readonly onDismiss: () => void;
}

const Sign = () => (
  <span className={styles.sign}>
    <IconAlertTriangle size={20} stroke={1.6} aria-hidden="true" />
  </span>
);

function FailedSend({ delivery, isBusy, onRetry, onDismiss }: FailedSendProps): ReactElement {
  const lineId = useId();
  const { source, title, target, words: why, at } = delivery;
  const parts = {
    post: <PageName target={source} title={title} />,
    target: <bdi title={visibleAddress(target)}>{targetName(target) ?? addressInShort(target)}</bdi>,
  };
  const look = { variant: 'default', size: 'xs', 'aria-describedby': lineId } as const;
  return (
    <Item
      sign={<Sign />}
      at={at}
      line={<Phrase text={words.failed} parts={parts} />}
      lineId={lineId}
      detail={<ForeignSentence text={why} />}
    >
      <Button {...look} disabled={isBusy} onClick={onRetry}>
        {words.retry}
      </Button>
      <Button {...look} variant="subtle" onClick={onDismiss}>
        {words.dismiss}
      </Button>
    </Item>
  );
}

function Draft({ draft }: { draft: PostItem }): ReactElement {
  const { url, name, summary, published, picture = '', createdBy } = draft;
  const lineId = useId();
  const [isOpen, setOpen] = useState(false);
  const title = <Foreign text={name || withShortAddresses(summary)} fallback={words.untitled} />;
  return (
    <Item
      sign={<RowPicture url={picture} StandIn={IconPencil} />}
      at={published}
      line={
        createdBy === undefined ? (
          <Phrase text={words.draft} parts={{ post: title }} />
        ) : (
          <Phrase text={words.draftBy} parts={{ app: <Foreign text={createdBy} />, post: title }} />
        )
      }
      lineId={lineId}
      detail={name !== '' && <Foreign text={summary} />}
      below={isOpen && <WholeDraft url={url} lineId={lineId} />}
    >
      {createdBy !== undefined && (
        <Button
          variant="default"
          size="xs"
          aria-expanded={isOpen}
          aria-describedby={lineId}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? words.close : words.read}
        </Button>
      )}
      <Button
        component="a"
        variant="default"
        size="xs"
        href={writeHash({ post: url })}
        aria-describedby={lineId}
      >
        {words.continue}
      </Button>
    </Item>
  );
}

/** A draft as it would appear, with the button that publishes what is shown here. */
function WholeDraft({ url, lineId }: { url: string; lineId: string }): ReactElement {
  const found = useAnswer('posts.get', { url });
  const { publish } = usePostActions(() => undefined);
  return (
    <Loaded query={found} what={words.draftLoads}>
      {({ item, version }) => (
        <Stack gap="xs" mt="xs">
          <PostPage url={url} version={version} />
          <SteadyButton
            // Another version gets a new button, so the owner publishes only what was in sight for a second.
            key={version}
            variant="default"
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            aria-describedby={lineId}
            onClick={() => publish(item, version)}
          >
            {words.publish}
          </SteadyButton>
        </Stack>
      )}
    </Loaded>
  );
}

interface ItemProps {
  readonly sign: ReactElement;
  readonly line: ReactNode;
  /** The id of the line. */
  readonly lineId: string;
  readonly detail: ReactNode;
  readonly at: string;
  readonly below?: ReactNode;
  /** The buttons. */
  readonly children: ReactNode;
}

function Item({ sign, line, lineId, detail, at, below, children }: ItemProps): ReactElement {
  return (
    <li className={styles.need}>
      {sign}
      <div className={shared.rowBody}>
        <Text id={lineId} className={styles.line}>
          {line}
        </Text>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {detail} <Ago at={at} />
        </Text>
        {below}
      </div>
      <Group gap={6} wrap="nowrap" className={styles.needActions ?? ''}>
        {children}
      </Group>
    </li>
  );
}
