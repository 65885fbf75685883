import type { FastifyPluginCallback } from 'fastify';
import { micropubRoutes, type MicropubRouteDeps } from './routes.ts';

export type { Authorize } from '../http/authorize.ts';
export type { ToldChange } from './actions.ts';
export type MicropubDeps = MicropubRouteDeps;

export interface Micropub {
  readonly routes: FastifyPluginCallback[];
}

/** The Micropub server (W3C Micropub). Nothing listens yet: `routes` go into the public app. */
export function createMicropub(deps: MicropubDeps): Micropub {
  return { routes: [micropubRoutes(deps)] };
}
