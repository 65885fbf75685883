import { mentionTables } from '../mentions/mention-index.ts';
import { postTables } from '../micropub/post-index.ts';
import { adoptedTables } from '../site/adopted/adopted-index.ts';

/** The tables of all features. If an index has other tables, Porchlight rebuilds it. */
export const indexParts = [postTables, mentionTables, adoptedTables];
