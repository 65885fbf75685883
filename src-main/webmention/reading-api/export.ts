import type { Mention } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';
import { jf2Record } from './jf2-record.ts';
import { listText } from './record-text.ts';

/** How every export begins: a file that begins so is one. ASCII. */
export const exportHead = '{"type":"feed","name":"Webmentions","children":[\n';

/**
 * Everything as one JF2 feed, oldest first, in pieces of text: private mentions (`wm-private`), and those that are held,
 * hidden, removed or deleted (`porchlight-status`), so that the owner can take all of it away.
 */
export function exportJf2(store: Pick<MentionStore, 'all'>): AsyncIterable<string> {
  const textOf = (mention: Mention) =>
    `${JSON.stringify({ ...jf2Record(mention), 'porchlight-status': mention.status })}\n`;
  return listText(exportHead, store.all(), textOf, ']}\n');
}
