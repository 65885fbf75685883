import { Anchor, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { onlyFileOf } from '../../../src-main/contract/mention-types.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { settingsHash } from '../../routes.ts';
import { Beside, OpenedHeading } from '../../ui/beside.tsx';
import { Foreign, Outside } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { copyItem, type MoreItem } from '../../ui/more-menu.tsx';
import { Content } from './content.tsx';
import { MentionHistory } from './history.tsx';
import { MentionActions } from './mention-actions.tsx';
import { MentionFace } from './mention-line.tsx';
import { StatusTag } from './mention-row.tsx';
import type { Moderation } from './moderation.tsx';
import { PageName } from './page-name.tsx';
import { Snapshot } from './snapshot.tsx';
import { deedOf, personOf } from './naming.ts';
import { admissionWords, openedWords, pageWords } from './words.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly mention: MentionRecord;
  /** True if there is room beside the list. */
  readonly beside: boolean;
  readonly moderation: Moderation;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly more: readonly (MoreItem | false)[];
  readonly onClose: () => void;
  readonly listLabel: string;
}

/** The open mention, beside the list or over it. */
export function Opened({ beside, listLabel, onClose, onKey, ...about }: Props): ReactElement {
  return (
    <Beside title={openedWords.title} beside={beside} listLabel={listLabel} onClose={onClose} onKey={onKey}>
      <Whole key={about.mention.id} {...about} />
    </Beside>
  );
}

type Inside = Pick<Props, 'mention' | 'moderation' | 'more'>;

function Whole({ mention, moderation, more }: Inside): ReactElement {
  const { author, source, target, name = '', published = '', url = '' } = mention;
  const host = hostIn(source);
  return (
    <Stack gap="md">
      <div className={styles.head}>
        <MentionFace mention={mention} large />
        <div className={shared.rowBody}>
          <OpenedHeading>
            <Foreign text={personOf(mention)} /> {deedOf(mention)}{' '}
            <PageName target={target} title={mention.targetTitle} />
          </OpenedHeading>
          <div className={styles.status}>
            <StatusTag mention={mention} />
          </div>
        </div>
      </div>
      {name !== '' && name !== mention.content?.value && !onlyFileOf(mention) && (
        <Title order={3} className={shared.wrap ?? ''}>
          <Foreign text={name} />
        </Title>
      )}
      <Content mention={mention} />
      {mention.admission !== undefined && (
        <Text size="sm" c="dimmed">
          <Foreign text={admissionWords(mention.admission, host)} />{' '}
          <Anchor href={settingsHash('webmentions', 'hold')} inherit underline="always" c="inherit">
            {pageWords.changeHold}
          </Anchor>
        </Text>
      )}
      {mention.comment === true && (
        <Text size="sm" c="dimmed">
          {openedWords.comment}
        </Text>
      )}
      {mention.blocked === true && (
        <Text size="sm" c="dimmed">
          {openedWords.hiddenByBlock}{' '}
          <Anchor href={settingsHash('webmentions', 'blocked')} inherit underline="always" c="inherit">
            {openedWords.unblock}
          </Anchor>
        </Text>
      )}
      <div>
        <MentionActions
          mention={mention}
          moderation={moderation}
          more={[copyItem(source, openedWords.copyTheirs), copyItem(target, openedWords.copyYours), ...more]}
        />
        <VisuallyHidden>{pageWords.keys.spoken}</VisuallyHidden>
      </div>
      <dl className={styles.facts}>
        {author && author.url !== '' && <Fact name={openedWords.author}>{<Outside url={author.url} />}</Fact>}
        <Fact name={mention.comment === true ? openedWords.formerAddress : openedWords.theirPage}>
          <Outside url={source} />
        </Fact>
        {url !== '' && url !== source && (
          <Fact name={openedWords.original}>
            <Outside url={url} />
          </Fact>
        )}
        <Fact name={openedWords.yourPage}>
          <Outside url={target} />
        </Fact>
        {published !== '' && (
          <Fact name={openedWords.published}>
            {Number.isNaN(Date.parse(published)) ? <Foreign text={published} /> : <Ago at={published} />}
          </Fact>
        )}
        <Fact name={openedWords.received}>
          <Ago at={mention.received} />
        </Fact>
      </dl>
      <MentionHistory id={mention.id} />
      <Snapshot id={mention.id} read={mention.parsed} />
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
