import type { Delivery, MentionRecord, MentionType } from '../contract/webmentions.ts';
import type { FloodGate } from './flood-gate.ts';

/** Writes down which mentions came, and which of ours did not arrive. */
export interface MentionActivity {
  received(mention: MentionRecord): void;
  /** A limit keeps mentions out. `why`: one sentence for the owner; strangers choose parts of it. */
  refused(why: string): void;
  delivered(delivery: Delivery): void;
}

const verbs: Record<MentionType, string> = {
  reply: 'replied to',
  like: 'liked',
  repost: 'reposted',
  bookmark: 'bookmarked',
  rsvp: 'answered the invitation at',
  mention: 'mentioned',
};

/** All mentions are one group, as are all failed deliveries: who sends many can not hide who sent one among other things. */
export function createMentionActivity(gate: FloodGate): MentionActivity {
  return {
    received({ source, target, type, author, status }) {
      const who = cut(author?.name.trim() ?? '', 80);
      const waits = status === 'held' ? ' It waits for you.' : '';
      gate.pass({
        group: 'mentions',
        kind: 'webmention.received',
        words: `${who === '' ? hostOf(source) : who} ${verbs[type]} ${cut(target, 300)}.${waits}`,
        more: (count) => `${count} more ${count === 1 ? 'mention' : 'mentions'} came in.`,
      });
    },

    refused(why) {
      gate.pass({
        group: 'refused mentions',
        singly: 1,
        kind: 'webmention.refused',
        words: cut(why, 400),
        more: (count) =>
          `${count} more ${count === 1 ? 'mention was' : 'mentions were'} refused or shortened.`,
      });
    },

    delivered({ source, target, state, words }) {
      if (state !== 'failed') return;
      gate.pass({
        group: 'deliveries',
        kind: 'delivery.failed',
        words: `${cut(target, 300)} could not be told of ${source}. ${words}`.trim(),
        more: (count) => `${count} more ${count === 1 ? 'page' : 'pages'} could not be told of links.`,
      });
    },
  };
}

/** Strangers choose these, so a line has an end. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
