import type { MentionRecord, MentionType } from '../contract/webmentions.ts';
import { dialogText } from './strangers-text.ts';

const deeds: Record<MentionType, string> = {
  reply: 'replied to you',
  like: 'liked your post',
  repost: 'reposted your post',
  bookmark: 'bookmarked your post',
  rsvp: 'answered your invitation',
  mention: 'mentioned you',
};

/** Returns the text of a notification about mentions that arrived together. `mentions`: the oldest mention first. */
export function mentionWords(mentions: readonly MentionRecord[]): { title: string; body: string } {
  const [first] = mentions;
  if (mentions.length === 1 && first) {
    const held = first.status === 'held' ? ' It is waiting for your approval.' : '';
    return { title: `${whose(first)} ${deeds[first.type]}`, body: `${saying(first)}${held}`.trim() };
  }
  const waiting = mentions.filter(({ status }) => status === 'held').length;
  const names = [...new Set(mentions.map(whose))];
  const others = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const held = waiting === 0 ? '' : ` ${waiting} ${waiting === 1 ? 'is' : 'are'} waiting for your approval.`;
  return {
    title: `${mentions.length} new mentions`,
    body: `From ${names.slice(0, 3).join(', ')}${others}.${held}`,
  };
}

function whose({ author, source }: MentionRecord): string {
  const name = dialogText(author?.name ?? '', 60);
  return name === '' ? dialogText(new URL(source).host, 80) : name;
}

function saying({ content, name, type }: MentionRecord): string {
  const text = dialogText(content?.value ?? name ?? '', 140);
  return text === '' || type === 'like' || type === 'repost' ? '' : text;
}
