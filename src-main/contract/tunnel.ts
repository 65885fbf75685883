import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Maybe, Nothing, closed } from './shapes.ts';
import { TunnelMode } from './settings.ts';

/** Why a tunnel does not work, for programs; its `words` say it to people. */
export const TunnelReason = Type.Union([
  Type.Literal('rate_limited'),
  Type.Literal('bad_token'),
  Type.Literal('no_token'),
  /** There is one perhaps, but the keychain does not give it out now. */
  Type.Literal('token_unreadable'),
  Type.Literal('no_network'),
  Type.Literal('binary_missing'),
  Type.Literal('download_failed'),
  /** The program is there, but this computer can't run it. */
  Type.Literal('not_executable'),
  /** cloudflared hangs, or the public address stopped leading here. */
  Type.Literal('not_responding'),
  Type.Literal('crashed'),
]);
export type TunnelReason = Static<typeof TunnelReason>;

export const TunnelStatus = closed({
  mode: TunnelMode,
  state: Type.Union([
    Type.Literal('off'),
    /** The program cloudflared is being fetched; `progress` tells how far. */
    Type.Literal('downloading'),
    Type.Literal('starting'),
    Type.Literal('connected'),
    Type.Literal('reconnecting'),
    Type.Literal('failed'),
  ]),
  words: Type.String(),
  /** The public address while there is one. */
  url: Maybe(),
  /** Connections to Cloudflare's edge that stand. */
  connections: Type.Integer({ minimum: 0 }),
  /** Why it does not work; null while it does, or where nobody knows. */
  reason: Type.Union([TunnelReason, Type.Null()]),
  /** Bytes of the download; `total` is null until it is known. */
  progress: Type.Union([
    closed({ received: Type.Integer(), total: Type.Union([Type.Integer(), Type.Null()]) }),
    Type.Null(),
  ]),
});
export type TunnelStatus = Static<typeof TunnelStatus>;

export const tunnelMethods = {
  'tunnel.status': method(Nothing, TunnelStatus),
  'tunnel.start': method(Nothing, TunnelStatus),
  'tunnel.stop': method(Nothing, TunnelStatus),
};
