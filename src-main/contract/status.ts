import { Type, type Static } from 'typebox';
import { problemCodes } from './error.ts';
import { TunnelMode } from './settings.ts';
import { choice, closed, Id, Maybe, method, Nothing, orNull } from './shapes.ts';

/**
 * A problem that Porchlight shows to the owner until it is solved. A problem with an `id` reports a past event, and stays
 * until the owner dismisses it (`status.dismiss`).
 */
export const Problem = closed({
  id: Type.Optional(Id),
  code: Type.Enum(problemCodes),
  message: Type.String(),
});
export type Problem = Static<typeof Problem>;

/** The state of the server at a glance. */
export const Status = closed({
  /**
   * `trouble`: the server should be on, but has a problem, which `words` describes. If there is a `port`, the server
   * responds on this computer, but its tunnel has failed. If there is no `port`, the server isn't listening (for
   * example, because the port is taken).
   */
  server: choice('on', 'off', 'trouble'),
  words: Type.String(),
  baseUrl: Type.String(),
  /** The loopback port of the public API; null while the server isn't listening. */
  port: orNull(Type.Integer()),
  me: Maybe(),
  /** The settings that command-line flags or environment variables override until Porchlight quits. */
  flags: closed({ baseUrl: Type.Boolean(), tunnel: orNull(TunnelMode) }),
  /** Where the secrets are stored. */
  secrets: choice('keychain', 'file'),
  /** The number of sign-ins that await the owner's decision. */
  waiting: Type.Integer(),
  version: Type.String(),
  problems: Type.Array(Problem),
  /** Whether this is a demo. The data of a demo is made up, and is deleted when the demo ends. */
  demo: Type.Boolean(),
});
export type Status = Static<typeof Status>;

export const statusMethods = {
  'status.get': method(Nothing, Status),
  /** Removes a problem that reports a past event. Does nothing if it was removed before. */
  'status.dismiss': method(closed({ id: Id }), Status),
  'server.turnOn': method(Nothing, Status),
  'server.turnOff': method(Nothing, Status),
  /**
   * Switches to another port permanently. If `port` is 0, uses any free port. If the port is taken, the returned status
   * reports the problem.
   */
  'server.usePort': method(closed({ port: Type.Integer({ minimum: 0, maximum: 65_535 }) }), Status),
  /**
   * Returns the text of the support file: details that help to diagnose a problem, without secrets. `name`: the
   * suggested file name.
   */
  'support.file': method(Nothing, closed({ name: Type.String(), text: Type.String() })),
};
