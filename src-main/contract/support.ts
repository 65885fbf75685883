import { Type } from 'typebox';
import { method } from './method.ts';
import { Nothing, closed } from './shapes.ts';

export const supportMethods = {
  /** What somebody who helps wants to know, as plain text without secrets; `name`: what the file may be called. */
  'support.file': method(Nothing, closed({ name: Type.String(), text: Type.String() })),
};
