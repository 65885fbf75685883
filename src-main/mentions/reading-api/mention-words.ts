import type { MentionType } from '../../contract/webmentions.ts';
import type { Mention } from '../mention.ts';

const deeds: Readonly<Record<MentionType, string>> = {
  reply: 'replied to',
  like: 'liked',
  repost: 'reposted',
  bookmark: 'bookmarked',
  rsvp: 'answered',
  mention: 'mentioned',
};

/** Returns the author's name, or else the source's host (AU-3). */
export function authorName({ facts, source }: Mention): string {
  return facts.author?.name || new URL(source).host;
}

/** Returns a one-line description of a mention, such as “Alice liked https://me.example/post”. */
export function aboutMention(mention: Mention): string {
  const { type, rsvp } = mention.facts;
  const answer = type === 'rsvp' && rsvp !== undefined ? ` (${rsvp})` : '';
  return `${authorName(mention)} ${deeds[type]} ${mention.target}${answer}`;
}
