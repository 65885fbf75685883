import type { Mention } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { jf2Record } from './jf2-record.ts';
import { listText } from './record-text.ts';

/** The beginning of every export, by which an export file is recognized. ASCII. */
export const exportHead = '{"type":"feed","name":"Webmentions","children":[\n';

/**
 * Returns all mentions as one JF2 feed, oldest first, as a series of text pieces. Private mentions (`wm-private`) and
 * held, hidden, removed or deleted ones (`porchlight-status`) are included, so that the owner's copy is complete.
 */
export function exportJf2(store: Pick<MentionStore, 'all'>): AsyncIterable<string> {
  const textOf = (mention: Mention) =>
    `${JSON.stringify({ ...jf2Record(mention), 'porchlight-status': mention.status })}\n`;
  return listText(exportHead, store.all(), textOf, ']}\n');
}
