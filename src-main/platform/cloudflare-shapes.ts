import { Type, type Static } from 'typebox';

/** The parts of Cloudflare's responses that Porchlight uses. Other properties are ignored. */

const Id = Type.String({ pattern: '^[0-9a-f]{32}$' });
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const Name = Type.String({ maxLength: 1000 });

export const VerifiedToken = Type.Object({ status: Type.String() });

export const ApiAccount = Type.Object({ id: Id, name: Name });
export type ApiAccount = Static<typeof ApiAccount>;

export const ApiZone = Type.Object({
  id: Id,
  name: Name,
  /** The zone's status. A zone works only while its status is `active`. */
  status: Type.Optional(Type.String()),
  account: Type.Object({ id: Id, name: Type.Optional(Name) }),
});
export type ApiZone = Static<typeof ApiZone>;

export const ApiTunnel = Type.Object({
  id: Uuid,
  name: Name,
  /** The time of deletion. Cloudflare also returns deleted tunnels. */
  deleted_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type ApiTunnel = Static<typeof ApiTunnel>;

/** The token that cloudflared needs to run a tunnel. */
export const RunToken = Type.String({ minLength: 1, maxLength: 10_000, pattern: '^[\\x21-\\x7e]+$' });

export const ApiRecord = Type.Object({
  id: Id,
  type: Type.String(),
  name: Name,
  content: Type.Optional(Type.String()),
});
export type ApiRecord = Static<typeof ApiRecord>;

export const ApiScript = Type.Object({
  id: Name,
  /** The tag of the last migration that was applied to the Worker's Durable Objects. */
  migration_tag: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export type ApiScript = Static<typeof ApiScript>;

export const ApiRoute = Type.Object({
  id: Id,
  pattern: Name,
  script: Type.Optional(Type.Union([Name, Type.Null()])),
});
export type ApiRoute = Static<typeof ApiRoute>;
