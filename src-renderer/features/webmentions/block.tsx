import { useState, type ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useBlockedPeople, useBlockedSites } from '../../client/blocks.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Address } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { hostIn } from '../../ui/plain-text.ts';
import { blockWords } from './dialog-words.ts';
import { showNote } from './undo-note.tsx';
import { moderationWords } from './words.ts';

/** What can be blocked: the people who wrote mentions, or the sites that sent them. */
export type BlockWhat = 'people' | 'sites';

interface Props {
  readonly mentions: readonly MentionRecord[];
  readonly what: BlockWhat;
  readonly onClose: () => void;
}

/** Asks before the authors or the sites of mentions are blocked, and says what that means. */
export function Block({ mentions, what, onClose }: Props): ReactElement {
  const [people, sites] = [useBlockedPeople(), useBlockedSites()];
  const { block, unblock, isBlocking, blockError } = what === 'people' ? people : sites;
  const words = blockWords[what];
  const [entries] = useState(() => [...new Set(mentions.flatMap(entryOf[what]))].sort());
  const many = entries.length > 1;

  async function blockAll(): Promise<void> {
    const fresh: string[] = [];
    for (const entry of entries) if (await block(entry)) fresh.push(entry);
    onClose();
    const undo = () => {
      unblockAll(fresh).catch((error: unknown) =>
        showNote(
          moderationWords.undoFailed(error instanceof Error ? error.message : moderationWords.unknown),
        ),
      );
    };
    showNote(words.done(entries), fresh.length > 0 ? undo : undefined);
  }
  async function unblockAll(fresh: readonly string[]): Promise<void> {
    for (const entry of fresh) await unblock(entry);
    showNote(words.undone(fresh));
  }

  return (
    <Confirm
      title={
        many ? (
          `${words.titleMany(entries.length)}?`
        ) : (
          <>
            {blockWords.title} <Address url={entries.join('')} />?
          </>
        )
      }
      action={words.action(entries.length)}
      busy={isBlocking}
      error={blockError}
      onClose={onClose}
      onConfirm={() => void blockAll().catch(() => undefined)} // the error is shown above
    >
      {words.body(entries.length)}
      {what === 'sites' && mentions.some(isPassedOn) && ` ${blockWords.relay(entries.length)}`}{' '}
      {blockWords.unblock}
      {many && (
        <span className={shared.wrap}>
          {' '}
          <Address url={entries.join(', ')} />
        </span>
      )}
    </Confirm>
  );
}

/** Returns whether the author of a mention can be blocked: the author has a web address and isn't the owner. */
export const hasAuthor = (mention: MentionRecord): boolean => entryOf.people(mention).length > 0;

/** Returns whether the site of a mention can be blocked. An imported comment comes from the owner's former site. */
export const hasSite = (mention: MentionRecord): boolean => entryOf.sites(mention).length > 0;

const entryOf: Record<BlockWhat, (mention: MentionRecord) => string[]> = {
  people: ({ author, own }) =>
    own !== true && author !== undefined && /^https?:\/\//i.test(author.url) ? [author.url] : [],
  sites: ({ source, comment }) =>
    comment === true ? [] : [URL.canParse(source) ? new URL(source).hostname : source],
};

/** Returns whether the source only forwarded what somebody else wrote. */
function isPassedOn({ url, author, source }: MentionRecord): boolean {
  const original = hostIn(url ?? author?.url ?? '');
  return original !== '' && original !== hostIn(source);
}
