import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Maybe, Nothing, closed } from './shapes.ts';
import { TunnelMode } from './settings.ts';

export const TunnelStatus = closed({
  mode: TunnelMode,
  state: Type.Union([
    Type.Literal('off'),
    Type.Literal('starting'),
    Type.Literal('connected'),
    Type.Literal('reconnecting'),
    Type.Literal('failed'),
  ]),
  words: Type.String(),
  /** The public address while there is one. */
  url: Maybe(),
});
export type TunnelStatus = Static<typeof TunnelStatus>;

export const tunnelMethods = {
  'tunnel.status': method(Nothing, TunnelStatus),
  'tunnel.start': method(Nothing, TunnelStatus),
  'tunnel.stop': method(Nothing, TunnelStatus),
};
