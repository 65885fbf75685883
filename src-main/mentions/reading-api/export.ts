import type { Mention } from '../mention.ts';
import type { MentionStore } from '../mention-store.ts';
import { jf2Record } from './jf2-record.ts';
import { listText } from './record-text.ts';

/** The first characters of every export, by which Porchlight recognizes an export file. ASCII only. */
export const exportHead = '{"type":"feed","name":"Webmentions","children":[\n';

/**
 * Returns all mentions as one JF2 feed, oldest first, in pieces of text. Includes private mentions (`wm-private`) and
 * held, hidden, removed or deleted mentions (`porchlight-status`), so that the owner's copy is complete.
 */
export function exportJf2(store: Pick<MentionStore, 'all'>): AsyncIterable<string> {
  const textOf = (mention: Mention) =>
    `${JSON.stringify({ ...jf2Record(mention), 'porchlight-status': mention.status })}\n`;
  return listText(exportHead, store.all(), textOf, ']}\n');
}
