import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Nothing, orNull } from './shapes.ts';
import { TunnelMode } from './settings.ts';

/**
 * The reason why a tunnel does not work, as a code for programs. `words` in the status explains the reason to people.
 */
export const TunnelReason = Type.Union([
  Type.Literal('rate_limited'),
  Type.Literal('bad_token'),
  Type.Literal('no_token'),
  /** The keychain can't be read now, so Porchlight can't tell whether a token is stored. */
  Type.Literal('token_unreadable'),
  Type.Literal('no_network'),
  Type.Literal('binary_missing'),
  Type.Literal('download_failed'),
  /** The cloudflared program is installed, but this computer can't run it. */
  Type.Literal('not_executable'),
  /** cloudflared hangs, or the public address no longer leads to this server. */
  Type.Literal('not_responding'),
  Type.Literal('crashed'),
]);
export type TunnelReason = Static<typeof TunnelReason>;

export const TunnelStatus = closed({
  mode: TunnelMode,
  /** `downloading`: the cloudflared program is being downloaded. `progress`: the progress of this download. */
  state: choice('off', 'downloading', 'starting', 'connected', 'reconnecting', 'failed'),
  words: Type.String(),
  /** The public address; null if there is none. */
  url: Maybe(),
  /** The number of open connections to Cloudflare's edge. */
  connections: Type.Integer({ minimum: 0 }),
  /** The reason why the tunnel does not work; null if it works, or if the reason is unknown. */
  reason: orNull(TunnelReason),
  /** The number of bytes downloaded. `total` is null while unknown. */
  progress: Type.Union([closed({ received: Type.Integer(), total: orNull(Type.Integer()) }), Type.Null()]),
});
export type TunnelStatus = Static<typeof TunnelStatus>;

export const tunnelMethods = {
  'tunnel.status': method(Nothing, TunnelStatus),
  'tunnel.start': method(Nothing, TunnelStatus),
  'tunnel.stop': method(Nothing, TunnelStatus),
};
