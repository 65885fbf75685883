import { Type } from 'typebox';
import { method } from './method.ts';
import { Nothing, closed } from './shapes.ts';

const Token = closed({ token: Type.String() });

export const secretMethods = {
  /** The token of the management endpoints: whoever has it may delete what the server holds. */
  'secrets.managementToken': method(Nothing, Token),
  'secrets.rotateManagementToken': method(Nothing, Token),
  /** The token of a named Cloudflare tunnel; an empty one forgets it. */
  'secrets.setTunnelToken': method(
    closed({ token: Type.String({ maxLength: 4096, pattern: '^[A-Za-z0-9+/=_.-]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
  /** Whether a tunnel's token is kept; the token itself is never shown again. */
  'secrets.hasTunnelToken': method(Nothing, closed({ stored: Type.Boolean() })),
  /** The token of webmention.io, from which mentions are imported; an empty one forgets it. */
  'secrets.setAggregatorToken': method(
    closed({ token: Type.String({ maxLength: 500, pattern: '^[\\x21-\\x7E]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
};
