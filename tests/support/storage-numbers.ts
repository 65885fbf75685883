import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { documentCodec } from '../../src-main/storage/document-format.ts';

/** What the storage writer's documents hold: numbers, each one higher than the one before. */
export const Numbers = closed({ values: Type.Array(Type.Integer()) });
export const documentNames = ['a', 'b'] as const;

/** The lines of the storage writer's log and journal. */
export const noteCodec = documentCodec({
  schema: closed({ id: Type.String(), at: Type.String() }),
  format: 1,
});
