import { pageInWords } from '../contract/activity.ts';
import { targetName, type Delivery } from '../contract/posts.ts';
import { type MentionType, mentionTypes } from '../contract/mention-types.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import type { FloodGate } from '../platform/flood-gate.ts';

export type MentionActivity = ReturnType<typeof createMentionActivity>;

/** A title or an address doesn't say that the page is an invitation. */
const deedOf = (type: MentionType) =>
  type === 'rsvp' ? 'replied to the invitation' : mentionTypes[type].deed;

/**
 * Creates the functions that record incoming mentions and failed deliveries. Mentions form one group and failed
 * deliveries another, and each group is limited. So a flood of mentions from one sender can't hide other entries.
 */
export function createMentionActivity(gate: FloodGate) {
  return {
    received({ source, target, targetTitle, type, author, status, own }: MentionRecord): void {
      const who = own === true ? 'You' : cut(author?.name.trim() ?? '', 80);
      const waits = status === 'held' ? ' It is waiting for your approval.' : '';
      void gate.pass({
        group: 'mentions',
        kind: 'webmention.received',
        words: `${who === '' ? hostOf(source) : who} ${deedOf(type)} ${pageInWords(cut(target, 300), targetTitle)}.${waits}`,
        more: (count) => `${count} more ${count === 1 ? 'mention' : 'mentions'} arrived.`,
      });
    },

    /**
     * Records that a mention exceeded a limit, so that Porchlight refused or shortened it. `why`: the reason, as a
     * sentence that may contain text from strangers.
     */
    refused(why: string): void {
      void gate.pass({
        group: 'refused mentions',
        singly: 1,
        kind: 'webmention.refused',
        words: cut(why, 400),
        more: (count) =>
          `${count} more ${count === 1 ? 'mention was' : 'mentions were'} refused or shortened.`,
      });
    },

    delivered({ source, title, target, state, words }: Delivery): void {
      if (state !== 'failed') return;
      void gate.pass({
        group: 'deliveries',
        kind: 'delivery.failed',
        words:
          `Porchlight couldn’t send a mention of ${pageInWords(source, title)} to ${targetName(target) ?? cut(target, 250)}. ${words}`.trim(),
        more: (count) => `Porchlight couldn’t send ${count} more ${count === 1 ? 'mention' : 'mentions'}.`,
      });
    },
  };
}

/** Truncates text that comes from strangers, in order to limit the length of an entry. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
