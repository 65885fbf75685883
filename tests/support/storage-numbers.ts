import { Type } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';

/** What the storage writer's documents hold: numbers, each one higher than the one before. */
export const Numbers = closed({ values: Type.Array(Type.Integer()) });
export const documentNames = ['a', 'b'] as const;
