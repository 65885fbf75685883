import { Type } from 'typebox';
import { method } from './method.ts';
import { Nothing, closed } from './shapes.ts';

export const supportMethods = {
  /**
   * Returns the text of the support file: what a helper needs to know, without secrets. `name`: a suggested file name.
   */
  'support.file': method(Nothing, closed({ name: Type.String(), text: Type.String() })),
};
