import type { MentionStatus, MentionType } from '../contract/webmentions.ts';
import { pageOfTarget, type Mention } from './mention.ts';
import type { MentionFilter } from './mention-store.ts';

/** What filters ask of a mention, besides the page that it mentions. */
export interface Filterable {
  readonly source: string;
  /** Of the source, as `URL.host` writes it; empty where the source has none. */
  readonly host: string;
  readonly type: MentionType;
  readonly status: MentionStatus;
  /** What is searched besides the source, in lower case. */
  readonly text: string;
  /** There is more text than that. */
  readonly cut: boolean;
}

const hostOf = (source: string) => (URL.canParse(source) ? new URL(source).host : '');

/** What filters ask of a mention, with all its text. */
export function filterable({ source, status, facts }: Mention): Filterable {
  const { type, author, name, content } = facts;
  const words = [author?.name, name, content?.value].filter((part) => part !== undefined);
  return { source, host: hostOf(source), type, status, text: words.join('\n').toLowerCase(), cut: false };
}

/** Whether a filter lets a mention pass; `unsure` where only its whole text can tell. The target is not asked. */
export function matches(entry: Filterable, filter: MentionFilter): boolean | 'unsure' {
  const { type, status, source, host, text } = filter;
  if (type !== undefined && entry.type !== type) return false;
  if (status !== undefined && entry.status !== status) return false;
  if (source !== undefined && entry.source !== source) return false;
  if (host !== undefined && entry.host !== host.toLowerCase()) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  if (entry.text.includes(wanted) || entry.source.toLowerCase().includes(wanted)) return true;
  return entry.cut ? 'unsure' : false;
}

/** Whether a filter lets the mention itself pass. */
export function mentionMatches(mention: Mention, filter: MentionFilter): boolean {
  const { target } = filter;
  if (target !== undefined && pageOfTarget(mention.target) !== pageOfTarget(target)) return false;
  return matches(filterable(mention), filter) === true;
}
