import { Type } from 'typebox';
import { method } from './method.ts';
import { Nothing, closed } from './shapes.ts';

const Token = closed({ token: Type.String() });

export const secretMethods = {
  /** The token of the management endpoints (PROTOCOLS section 0). */
  'secrets.managementToken': method(Nothing, Token),
  'secrets.rotateManagementToken': method(Nothing, Token),
};
