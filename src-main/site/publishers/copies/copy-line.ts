import { Type, type Static } from 'typebox';
import { choice, closed, Moment } from '../../../contract/shapes.ts';

/**
 * A line of `mailbox/journal.jsonl`: a post or file that is no longer fully public. The mailbox at Cloudflare may still
 * contain copies that show it. The newest line for an address replaces the older ones.
 */
export const CopyLine = closed({
  /** The path of the post or file. */
  address: Type.String(),
  /** The paths of the pages and feeds that may show the post or file. */
  shownOn: Type.Array(Type.String()),
  /** `done`: the mailbox at Cloudflare has confirmed the removal, or has a copy of the part that is still public. */
  state: choice('waiting', 'done'),
  /** When the content stopped being public. */
  since: Moment,
});
export type CopyLine = Static<typeof CopyLine>;

export const copyLineFormat = { schema: CopyLine, format: 1 };
