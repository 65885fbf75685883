import { useState, type ReactElement } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Address } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { hostIn } from '../../ui/plain-text.ts';
import { blockWords } from './dialog-words.ts';
import { showNote } from './undo-note.tsx';

interface Props {
  readonly mentions: readonly MentionRecord[];
  readonly onClose: () => void;
}

/** Asks before the sites of mentions are blocked, and says what that means. */
export function BlockSites({ mentions, onClose }: Props): ReactElement {
  const block = useAction('webmentions.blockDomain');
  const unblock = useAction('webmentions.unblockDomain');
  const blocked = useAnswer('webmentions.blockedDomains', {});
  const [domains] = useState(() => [...new Set(mentions.map(domainOf))].sort());
  const many = domains.length > 1;

  async function blockAll(): Promise<void> {
    const before = new Set(blocked.data);
    const fresh = domains.filter((domain) => !before.has(domain));
    for (const domain of domains) await block.mutateAsync({ domain });
    onClose();
    showNote(blockWords.done(domains), () => void unblockAll(fresh));
  }
  async function unblockAll(fresh: readonly string[]): Promise<void> {
    for (const domain of fresh) await unblock.mutateAsync({ domain });
    showNote(blockWords.undone(fresh));
  }

  return (
    <Confirm
      title={
        many ? (
          `${blockWords.titleMany(domains.length)}?`
        ) : (
          <>
            {blockWords.title} <Address url={domains.join('')} />?
          </>
        )
      }
      action={blockWords.action(domains.length)}
      busy={block.isPending}
      error={block.error}
      onClose={onClose}
      onConfirm={() => void blockAll().catch(() => undefined)} // the error is shown above
    >
      {blockWords.body(domains.length)}
      {mentions.some(isPassedOn) && ` ${blockWords.relay(domains.length)}`} {blockWords.unblock}
      {many && (
        <span className={shared.wrap}>
          {' '}
          <Address url={domains.join(', ')} />
        </span>
      )}
    </Confirm>
  );
}

function domainOf({ source }: MentionRecord): string {
  return URL.canParse(source) ? new URL(source).hostname : source;
}

/** Returns whether the source only forwarded what somebody else wrote. */
function isPassedOn({ url, author, source }: MentionRecord): boolean {
  const original = hostIn(url ?? author?.url ?? '');
  return original !== '' && original !== hostIn(source);
}
