import { postTables } from '../posts/post-index.ts';
import { adoptedTables } from '../site-folder/adopted/adopted-index.ts';

/** The tables of all features. If an index has other tables, Porchlight rebuilds it. */
export const indexParts = [postTables, adoptedTables];
