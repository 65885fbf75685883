import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { writeHash } from '../../routes.ts';
import { IconArrowBackUp, IconCheck, IconEyeOff, IconMessageReply, IconTrash } from '../../ui/icons.ts';
import { MoreMenu, type MoreItem } from '../../ui/more-menu.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { canBe, type Moderation } from './moderation.tsx';
import { replyAddressOf } from './naming.ts';
import styles from './webmentions.module.css';
import { decisionButtons, openedWords } from './words.ts';

interface Props {
  readonly mention: MentionRecord;
  readonly moderation: Moderation;
  /** True in a row of a list, where a mention has buttons only while it waits. Everything else is under "…". */
  readonly inRow?: boolean;
  /** The id of the element that says which mention it is. */
  readonly describedBy?: string;
  readonly tabIndex?: 0 | -1;
  /** More entries of the "…" menu. */
  readonly more?: readonly (MoreItem | false)[];
}

/** What the owner may do with a mention in its present status. */
export function MentionActions({
  mention,
  moderation,
  inRow = false,
  more = [],
  ...button
}: Props): ReactElement {
  const waits = mention.status === 'held';
  const hasButtons = waits || !inRow;
  const reply = replyAddressOf(mention);
  const replyHash = reply === undefined ? undefined : writeHash({ reply });
  const decide = (decision: keyof typeof decisionButtons) => moderation.decide([mention], decision);
  const rest: (MoreItem | false)[] = [
    !hasButtons &&
      replyHash !== undefined && { label: openedWords.reply, Icon: IconMessageReply, href: replyHash },
    !hasButtons &&
      canBe(mention, 'hidden') && {
        label: decisionButtons.hidden,
        Icon: IconEyeOff,
        onClick: () => decide('hidden'),
      },
    canBe(mention, 'deleted') && {
      label: decisionButtons.deleted,
      Icon: IconTrash,
      onClick: () => decide('deleted'),
    },
    canBe(mention, 'restored') &&
      !hasButtons && {
        label: decisionButtons.restored,
        Icon: IconArrowBackUp,
        onClick: () => decide('restored'),
      },
    ...more,
  ];
  const { describedBy, tabIndex } = button;
  const look = { variant: 'default', size: 'xs', tabIndex, 'aria-describedby': describedBy } as const;
  return (
    <Group gap={6} className={styles.buttons ?? ''}>
      {hasButtons && canBe(mention, 'approved') && (
        <SteadyButton
          // A new version of the mention gets a new button, so the owner approves only what was in sight for a second.
          key={mention.parsed}
          {...look}
          {...(waits && !inRow && { color: 'amber.5', variant: 'filled' })}
          leftSection={<IconCheck size={14} aria-hidden="true" />}
          onClick={() => decide('approved')}
        >
          {decisionButtons.approved}
        </SteadyButton>
      )}
      {hasButtons && canBe(mention, 'hidden') && (
        <SteadyButton
          {...look}
          leftSection={<IconEyeOff size={14} aria-hidden="true" />}
          onClick={() => decide('hidden')}
        >
          {decisionButtons.hidden}
        </SteadyButton>
      )}
      {hasButtons && canBe(mention, 'restored') && (
        <Button
          {...look}
          leftSection={<IconArrowBackUp size={14} aria-hidden="true" />}
          onClick={() => decide('restored')}
        >
          {decisionButtons.restored}
        </Button>
      )}
      {hasButtons && replyHash !== undefined && (
        <Button
          {...look}
          component="a"
          href={replyHash}
          leftSection={<IconMessageReply size={14} aria-hidden="true" />}
        >
          {openedWords.reply}
        </Button>
      )}
      <MoreMenu items={rest} {...button} />
    </Group>
  );
}
