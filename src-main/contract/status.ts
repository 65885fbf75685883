import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { TunnelMode } from './settings.ts';
import { Maybe, Nothing, closed } from './shapes.ts';

/** Something that the owner should know about, until it is mended. */
export const Problem = closed({ code: Type.String(), message: Type.String() });
export type Problem = Static<typeof Problem>;

/** How the server is, at a glance. */
export const Status = closed({
  /**
   * `trouble`: it should be on, but is not as it should be; `words` tell why. With a `port` it answers on this computer
   * and its tunnel does not work; without one it does not listen (the port is taken, say).
   */
  server: Type.Union([Type.Literal('on'), Type.Literal('off'), Type.Literal('trouble')]),
  words: Type.String(),
  baseUrl: Type.String(),
  /** Loopback port of the public API; null while it is off. */
  port: Type.Union([Type.Integer(), Type.Null()]),
  me: Maybe(),
  /** What flags (or their variables) decided at this start, whatever the settings say. */
  flags: closed({ baseUrl: Type.Boolean(), tunnel: Type.Union([TunnelMode, Type.Null()]) }),
  /** Where the secrets are kept. */
  secrets: Type.Union([Type.Literal('keychain'), Type.Literal('file')]),
  /** Sign-ins that wait for the owner. */
  waiting: Type.Integer(),
  version: Type.String(),
  problems: Type.Array(Problem),
  /** Nothing in it is real, and it is deleted at the end. */
  demo: Type.Boolean(),
});
export type Status = Static<typeof Status>;

export const statusMethods = {
  'status.get': method(Nothing, Status),
  'server.turnOn': method(Nothing, Status),
  'server.turnOff': method(Nothing, Status),
  /** Listens on another port, from now on and after each start; 0: on a free one. A port that is taken does not throw: the status says so. */
  'server.usePort': method(closed({ port: Type.Integer({ minimum: 0, maximum: 65_535 }) }), Status),
};
