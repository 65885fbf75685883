import { mentionTables } from './mentions/mention-index.ts';
import { postTables } from './micropub/post-index.ts';

/** The tables of every feature: an index that lacks some, or has others, is built again. */
export const indexParts = [postTables, mentionTables];
