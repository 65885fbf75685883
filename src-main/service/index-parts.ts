import { mediaTables } from '../media/media-index.ts';
import { mentionTables } from '../mentions/mention-index.ts';
import { postTables } from '../micropub/post-index.ts';
import { adoptedTables } from '../site/adopted/adopted-index.ts';

/** The tables of all features. Porchlight rebuilds an index that has other tables. */
export const indexParts = [postTables, mentionTables, mediaTables, adoptedTables];
