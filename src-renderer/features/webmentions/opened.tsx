import { Anchor, Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import {
  IconArrowBackUp,
  IconBan,
  IconCheck,
  IconEyeOff,
  IconMessageReply,
  IconTrash,
} from '../../ui/icons.ts';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { onlyFileOf } from '../../../src-main/contract/mention-types.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { settingsHash, writeHash } from '../../routes.ts';
import { Beside, OpenedHeading } from '../../ui/beside.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Foreign, Outside } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { Avatar } from './avatar.tsx';
import { type BlockWhat, hasAuthor, hasSite } from './block.tsx';
import { Content } from './content.tsx';
import { MentionHistory } from './history.tsx';
import { StatusTag } from './mention-row.tsx';
import { canBe, type Moderation } from './moderation.tsx';
import { Snapshot } from './snapshot.tsx';
import { deedOf, pathOf, personOf, replyAddressOf } from './naming.ts';
import { admissionWords, decisionButtons, openedWords, pageWords } from './words.ts';
import styles from './webmentions.module.css';

interface Props {
  readonly mention: MentionRecord;
  /** True if there is room beside the list. */
  readonly beside: boolean;
  readonly moderation: Moderation;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onBlock: (what: BlockWhat) => void;
  readonly onOnlySite: (host: string) => void;
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

type Inside = Pick<Props, 'mention' | 'moderation' | 'onBlock' | 'onOnlySite'>;

function Whole({ mention, moderation, onBlock, onOnlySite }: Inside): ReactElement {
  const { author, source, target, name = '', published = '', url = '' } = mention;
  const host = hostIn(source);
  return (
    <Stack gap="md">
      <div className={styles.head}>
        <Avatar mention={mention} large />
        <div className={shared.rowBody}>
          <OpenedHeading>
            <Foreign text={personOf(mention)} /> {deedOf(mention)} <Foreign text={pathOf(target)} />
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
      <Actions mention={mention} moderation={moderation} />
      <dl className={styles.facts}>
        {author && author.url !== '' && <Fact name={openedWords.author}>{<Outside url={author.url} />}</Fact>}
        <Fact name={mention.comment === true ? openedWords.formerAddress : openedWords.theirPage}>
          <Outside url={source} /> <CopyButton value={source} what={openedWords.copyTheirs} />
        </Fact>
        {url !== '' && url !== source && (
          <Fact name={openedWords.original}>
            <Outside url={url} />
          </Fact>
        )}
        <Fact name={openedWords.yourPage}>
          <Outside url={target} /> <CopyButton value={target} what={openedWords.copyYours} />
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
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => onOnlySite(host)}>
          {openedWords.onlySite}
        </Button>
        {hasAuthor(mention) && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconBan size={14} aria-hidden="true" />}
            onClick={() => onBlock('people')}
          >
            {openedWords.blockPerson}
          </Button>
        )}
        {hasSite(mention) && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconBan size={14} aria-hidden="true" />}
            onClick={() => onBlock('sites')}
          >
            {openedWords.blockSite}
          </Button>
        )}
      </Group>
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

/** What the owner may do with the mention in its present status. */
function Actions({ mention, moderation }: Pick<Props, 'mention' | 'moderation'>): ReactElement {
  const held = mention.status === 'held';
  const replyTo = replyAddressOf(mention);
  return (
    <Group gap="xs">
      {canBe(mention, 'approved') && (
        <SteadyButton
          // A new version of the mention gets a new button, so the owner approves only what was in sight for a second.
          key={mention.parsed}
          size="xs"
          {...(held ? { color: 'amber.5' } : { variant: 'default' })}
          leftSection={<IconCheck size={14} aria-hidden="true" />}
          onClick={() => moderation.decide([mention], 'approved')}
        >
          {decisionButtons.approved}
        </SteadyButton>
      )}
      {canBe(mention, 'hidden') && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconEyeOff size={14} aria-hidden="true" />}
          onClick={() => moderation.decide([mention], 'hidden')}
        >
          {decisionButtons.hidden}
        </Button>
      )}
      {replyTo !== undefined && (
        <Button
          component="a"
          href={writeHash({ reply: replyTo })}
          variant="default"
          size="xs"
          leftSection={<IconMessageReply size={14} aria-hidden="true" />}
        >
          {openedWords.reply}
        </Button>
      )}
      {mention.status === 'deleted' ? (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBackUp size={14} aria-hidden="true" />}
          onClick={() => moderation.decide([mention], 'restored')}
        >
          {decisionButtons.restored}
        </Button>
      ) : (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconTrash size={14} aria-hidden="true" />}
          onClick={() => moderation.decide([mention], 'deleted')}
        >
          {decisionButtons.deleted}
        </Button>
      )}
      <VisuallyHidden>{pageWords.keys.spoken}</VisuallyHidden>
    </Group>
  );
}
